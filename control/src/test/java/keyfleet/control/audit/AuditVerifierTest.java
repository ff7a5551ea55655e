package keyfleet.control.audit;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import keyfleet.control.audit.AuditVerdict.Broken;
import keyfleet.control.audit.AuditVerdict.Intact;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.RotationTestFleet;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.document.KeystoreDocument;
import keyfleet.store.Bucket;
import keyfleet.store.Bytes;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.FakeKv;
import keyfleet.store.Key;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// An attacker who can write to the store edits the audit of a whole rotation; verification finds
/// each edit (P11).
class AuditVerifierTest {
  private static final Bucket AUDIT = new Bucket.Lasting("audit");
  private static final Bucket KEYSTORES = new Bucket.Lasting("keystores");
  private static final Key MAIN = new Key("main");

  private final RotationTestFleet fleet = new RotationTestFleet();
  private final FakeKv kv = fleet.kv();
  private final Peer worker = fleet.worker("worker-1", 1, 2, 3, 4);
  private AuditHead head = AuditHead.NONE;
  private Runnable restore = () -> {};

  @BeforeEach
  void rotate() {
    fleet.bootstrap(worker);
    worker.operations.rotate(v(1), v(2));
    fleet.runToEnd();
    head = assertInstanceOf(Intact.class, verify()).head();
    restore = kv.checkpoint();
    assertTrue(head.number() > 8, head::toString);
  }

  private AuditVerdict verify() {
    return worker.keyring.keystores().reader().verify();
  }

  private static Key key(long number) {
    return AuditEntryStore.key(KeyringName.MAIN, number);
  }

  private Entry storedEntry(long number) {
    return kv.get(AUDIT, key(number)).orElseThrow();
  }

  private AuditEntry entry(long number) {
    return AuditDocument.parse(storedEntry(number).value());
  }

  private void write(long number, AuditEntry entry) {
    kv.put(AUDIT, key(number), AuditDocument.toDocument(entry).toValue());
  }

  private void delete(long number) {
    kv.delete(AUDIT, key(number), storedEntry(number).revision());
  }

  private Broken verifyBroken() {
    return assertInstanceOf(Broken.class, verify());
  }

  private static Broken brokenAt(long number, String reason) {
    return new Broken(Long.toString(number), reason);
  }

  private static long numberOf(Broken broken) {
    return Long.parseLong(broken.entry());
  }

  /// Each field of an entry, edited by an attacker who knows the format.
  enum Edit {
    KEYRING(it -> rewrite(it, new KeyringName("kms"), it.previous(), it.action(), "n")),
    PREVIOUS(it -> {
      AuditHead other = new AuditHead(it.number() - 1, "ab".repeat(32));
      return rewrite(it, it.keyring(), other, it.action(), it.nonce());
    }),
    NUMBER(it -> {
      AuditHead later = new AuditHead(it.number(), it.previous().hash());
      return rewrite(it, it.keyring(), later, it.action(), it.nonce());
    }),
    USER(it -> withActor(it, new AuditActor("eve", it.action().actor().host(), "x"))),
    HOST(it -> withActor(it, new AuditActor(it.action().actor().user(), "elsewhere", "x"))),
    INSTANCE(it -> withActor(it, new AuditActor("somebody", it.action().actor().host(), "other"))),
    WHAT(it -> withAction(it, "nothing", it.action().rotation(), it.action().storeTime())),
    ROTATION(it -> withAction(it, it.action().summary(), "r-x", it.action().storeTime())),
    STORE_TIME(it ->
        withAction(
            it, it.action().summary(), "", it.action().storeTime().plus(Duration.ofHours(1)))),
    DATE(it -> {
      AuditAction was = it.action();
      AuditAction later =
          new AuditAction(
              was.actor(),
              was.summary(),
              was.rotation(),
              was.storeTime(),
              was.date().plusSeconds(1));
      return rewrite(it, it.keyring(), it.previous(), later, it.nonce());
    }),
    CHANGES(it ->
        new AuditEntry(
            it.keyring(),
            it.link(),
            it.action(),
            it.changes().subList(1, it.changes().size()),
            it.nonce())),
    NONCE(it -> rewrite(it, it.keyring(), it.previous(), it.action(), "another"));

    @SuppressWarnings("ImmutableEnumChecker") // a function of its argument alone
    private final UnaryOperator<AuditEntry> edit;

    Edit(UnaryOperator<AuditEntry> edit) {
      this.edit = edit;
    }

    AuditEntry apply(AuditEntry entry) {
      return edit.apply(entry);
    }

    private static AuditEntry rewrite(
        AuditEntry it, KeyringName keyring, AuditHead previous, AuditAction action, String nonce) {
      AuditLink link = AuditLink.ofKeystore(previous, it.link().ties());
      return new AuditEntry(keyring, link, action, it.changes(), nonce);
    }

    private static AuditEntry withActor(AuditEntry it, AuditActor actor) {
      AuditAction was = it.action();
      AuditAction action =
          new AuditAction(actor, was.summary(), was.rotation(), was.storeTime(), was.date());
      return rewrite(it, it.keyring(), it.previous(), action, it.nonce());
    }

    private static AuditEntry withAction(
        AuditEntry it, String what, String rotation, StoreTime at) {
      AuditAction action =
          new AuditAction(it.action().actor(), what, rotation, at, it.action().date());
      return rewrite(it, it.keyring(), it.previous(), action, it.nonce());
    }
  }

  /// The edited entry has a correct hash, so the next entry shows the edit.
  @ParameterizedTest
  @EnumSource
  void fieldEdited_isFoundInEveryEntry(Edit edit) {
    for (long number = 1; number <= head.number(); number++) {
      write(number, edit.apply(entry(number)));
      Broken broken = verifyBroken();
      assertTrue(
          numberOf(broken) == number || numberOf(broken) == number + 1,
          number + " was edited, and the verdict is " + broken);
      restore.run();
    }
    assertEquals(new Intact(head, List.of()), verify());
  }

  @Test
  void byteEdited_isFoundInItsEntry() {
    for (long number = 1; number <= head.number(); number++) {
      Value value = storedEntry(number).value();
      for (int i = 0; i < value.bytes().length(); i++) {
        Value edited = withFlippedByte(value, i);
        assertThrows(
            MalformedValueException.class, () -> AuditDocument.parse(edited), edited::text);
      }
      kv.put(AUDIT, key(number), withFlippedByte(value, value.bytes().length() / 2));
      assertEquals(number, numberOf(verifyBroken()));
      restore.run();
    }
  }

  private static Value withFlippedByte(Value value, int at) {
    byte[] bytes = value.bytes().toArray();
    bytes[at] ^= 1;
    return new Value(Bytes.copyOf(bytes));
  }

  /// The newest entry is still in the keystore: nothing is lost, and it is copied again.
  @Test
  void entryDeleted_isReportedMissing() {
    for (long number = 1; number < head.number(); number++) {
      delete(number);
      assertEquals(number, numberOf(verifyBroken()));
      restore.run();
    }
    delete(head.number());
    assertEquals(new Intact(head, List.of()), verify());
    Peer next = fleet.worker("worker-2", 1, 2, 3, 4);
    next.loop.tick();
    assertEquals(head, entry(head.number()).head());
  }

  @Test
  void entriesSwapped_areFound() {
    for (long number = 1; number < head.number(); number++) {
      Value one = storedEntry(number).value();
      kv.put(AUDIT, key(number), storedEntry(number + 1).value());
      kv.put(AUDIT, key(number + 1), one);
      assertEquals(number, numberOf(verifyBroken()));
      restore.run();
    }
  }

  @Test
  void entriesMovedUp_areFound() {
    for (long number = 2; number < head.number(); number++) {
      Value moved = storedEntry(number).value();
      delete(number);
      kv.put(AUDIT, key(number - 1), moved);
      assertEquals(number - 1, numberOf(verifyBroken()));
      restore.run();
    }
  }

  @Test
  void tailCutOff_isFoundByTheKeystore() {
    for (long left = 0; left < head.number() - 1; left++) {
      for (long number = left + 1; number <= head.number(); number++) {
        delete(number);
      }
      assertEquals(
          brokenAt(left + 1, "the entry is missing; the chain once had " + head.number()),
          verify());
      restore.run();
    }
  }

  @Test
  void forgedEntryAppended_isFoundByTheKeystore() {
    AuditEntry last = entry(head.number());
    AuditEntry forged =
        new AuditEntry(
            last.keyring(),
            AuditLink.ofKeystore(head, List.of()),
            last.action(),
            List.of(),
            "forged");
    write(forged.number(), forged);
    assertEquals(
        brokenAt(
            forged.number(),
            "the entry is not known to the keystore, which is at entry " + head.number()),
        verify());
  }

  @Test
  void unknownKey_isFound() {
    for (String key : List.of("main.x", "main.0000000000000003x", "main.0000000000000000")) {
      kv.put(AUDIT, new Key(key), storedEntry(1).value());
      assertTrue(verifyBroken().reason().contains(key), () -> verifyBroken().reason());
      restore.run();
    }
  }

  @Test
  void entriesOfAnotherKeyring_areIgnored() {
    kv.put(AUDIT, new Key("main-2.0000000000000001"), storedEntry(1).value());
    assertEquals(new Intact(head, List.of()), verify());
  }

  /// All hashes after the edit are correct; only the keystore still has the original one.
  @Test
  void rewrittenChain_isFoundByTheKeystore() {
    rewriteFrom(3);
    assertEquals(
        brokenAt(head.number(), "the keystore has another entry with this number"), verify());
  }

  /// Only the head that was noted outside the store shows the edit.
  @Test
  void rewrittenChainAndKeystore_areFoundByTheNotedHead() {
    AuditEntry last = rewriteFrom(3);
    note(fleet.keystore(), AuditDocument.toDocument(last));
    assertEquals(new Intact(last.head(), List.of()), verify());
    AuditReader reader = worker.keyring.keystores().reader();
    assertEquals(
        brokenAt(head.number(), "the entry is not the one that was noted"), reader.verify(head));
    assertEquals(new Intact(last.head(), List.of()), reader.verify(entry(2).head()));
  }

  private AuditEntry rewriteFrom(long first) {
    AuditHead previous = entry(first - 1).head();
    AuditEntry last = entry(first);
    for (long number = first; number <= head.number(); number++) {
      AuditEntry was = entry(number);
      AuditAction action =
          new AuditAction(
              new AuditActor("eve", "", ""),
              was.action().summary(),
              was.action().rotation(),
              was.action().storeTime(),
              was.action().date());
      last =
          new AuditEntry(
              was.keyring(),
              AuditLink.ofKeystore(previous, List.of()),
              action,
              was.changes(),
              was.nonce());
      write(number, last);
      previous = last.head();
    }
    return last;
  }

  private void note(Keystore keystore, Document note) {
    Document plain = KeystoreDocument.toDocument(keystore, "n");
    String text = plain.toValue().text();
    String more = text.substring(0, text.length() - 1) + ",\"audit\":" + note.toValue().text();
    kv.put(KEYSTORES, MAIN, Value.of(more + "}"));
  }

  @Test
  void restoredBackup_isFoundByTheNotedHead() {
    worker.operations.rotate(v(2), v(3));
    fleet.runToEnd();
    AuditHead later = assertInstanceOf(Intact.class, verify()).head();
    restore.run();
    assertEquals(new Intact(head, List.of()), verify());
    assertEquals(
        brokenAt(head.number() + 1, "the entry is missing; the chain once had " + later.number()),
        worker.keyring.keystores().reader().verify(later));
  }

  @Test
  void keystoreEditedByHand_isFound() {
    Value value = kv.get(KEYSTORES, MAIN).orElseThrow().value();
    String edited = value.text().replace("\"heartbeat_ms\":30000", "\"heartbeat_ms\":29000");
    kv.put(KEYSTORES, MAIN, Value.of(edited));
    assertEquals(
        brokenAt(
            head.number() + 1,
            "the keystore was changed without an entry: timing.heartbeat: PT30S → PT29S"),
        verify());
  }

  /// The edit is found even after the next change, which starts from the edited keystore.
  @Test
  void keystoreEditedByHandAndThenChanged_isFound() {
    Value value = kv.get(KEYSTORES, MAIN).orElseThrow().value();
    String edited = value.text().replace("\"heartbeat_ms\":30000", "\"heartbeat_ms\":29000");
    kv.put(KEYSTORES, MAIN, Value.of(edited));
    assertInstanceOf(KeyringOperations.Done.class, worker.operations.rotate(v(2), v(3)));
    worker.removals.undo(v(1));
    Broken broken = verifyBroken();
    assertTrue(numberOf(broken) > head.number(), broken::toString);
  }

  @Test
  void keystoreWithoutItsEntry_isNeitherIntactNorChanged() {
    kv.put(KEYSTORES, MAIN, KeystoreDocument.toDocument(fleet.keystore(), "n").toValue());
    assertEquals(head.number() + 1, numberOf(verifyBroken()));
    assertThrows(MalformedValueException.class, () -> worker.operations.rotate(v(2), v(3)));
    worker.loop.tick();
    assertInstanceOf(MalformedValueException.class, worker.loop.lastFailure().orElseThrow());
  }

  @Test
  void keystoreDeleted_isBroken() {
    kv.delete(KEYSTORES, MAIN, kv.get(KEYSTORES, MAIN).orElseThrow().revision());
    assertEquals(
        brokenAt(head.number() + 1, "the keystore is missing, so the end of the chain is unknown"),
        verify());
  }

  @Test
  void noKeystoreAndNoEntries_isIntact() {
    Peer other = new RotationTestFleet().worker("worker-1", 1);
    assertEquals(
        new Intact(AuditHead.NONE, List.of()), other.keyring.keystores().reader().verify());
    assertInstanceOf(Broken.class, other.keyring.keystores().reader().verify(head));
  }
}
