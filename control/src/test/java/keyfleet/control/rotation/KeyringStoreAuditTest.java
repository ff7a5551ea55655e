package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import keyfleet.control.CrashAtFailpoint;
import keyfleet.control.CrashAtFailpoint.Crashed;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.PauseAtFailpoint.Side;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditEntry;
import keyfleet.control.audit.AuditEntryStore;
import keyfleet.control.audit.AuditHead;
import keyfleet.control.audit.AuditPage;
import keyfleet.control.audit.AuditReader;
import keyfleet.control.audit.AuditSummary;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.audit.AuditVerdict.Intact;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationId;
import keyfleet.store.Bucket;
import keyfleet.store.FakeKv;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.UnreliableKv;
import keyfleet.store.UnreliableKv.Fault;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Each change has exactly one entry, through crashes, races and lost answers.
class KeyringStoreAuditTest {
  private static final Bucket AUDIT = new Bucket.Lasting("audit");
  private static final Bucket KEYSTORES = new Bucket.Lasting("keystores");
  private static final Key MAIN = new Key("main");
  private static final List<Fault> FAULTS = List.of(Fault.values());
  private static final int SEEDS = 60;
  private static final int STEPS = 40;

  private final RotationTestFleet fleet = new RotationTestFleet();
  private final FakeKv kv = fleet.kv();
  private final Peer worker = fleet.worker("worker-1", 1, 2, 3, 4);
  private int nonces;

  @BeforeEach
  void begin() {
    fleet.bootstrap(worker);
  }

  private AuditedKeystoreStore open(Kv store) {
    return new KeyringStore(
            KeyringName.MAIN,
            store,
            () -> "m-" + nonces++,
            Failpoints.NONE,
            RotationTestFleet.auditContext("mira", "x"))
        .keystores();
  }

  private AuditHead verifyIntact() {
    return assertInstanceOf(Intact.class, worker.keyring.keystores().reader().verify()).head();
  }

  private List<AuditEntry> allEntries() {
    return worker
        .keyring
        .keystores()
        .reader()
        .newest(AuditReader.MAX_PAGE, _ -> true)
        .entries()
        .reversed();
  }

  private long copies() {
    return kv.list(AUDIT, Prefix.under(MAIN)).size();
  }

  private static Optional<Keystore> decide(Keystore keystore, RotationEvent rotationEvent) {
    return keystore.decide(rotationEvent) instanceof Accepted(Keystore next)
        ? Optional.of(next)
        : Optional.empty();
  }

  @Test
  void rotation_isAuditedFromStartToEnd() {
    worker.operations.rotate(v(1), v(2));
    fleet.runToEnd();
    fleet.advance(RotationTestFleet.TIMINGS.expire());
    fleet.heartbeatAll();
    fleet.heartbeatAll();
    assertInstanceOf(Done.class, worker.removals.disable(v(1)));
    assertEquals(
        List.of(
            "announce v1",
            "announce v2",
            "announce v3",
            "announce v4",
            "rotate v1 to v2",
            "taken over by worker-1",
            "gate passed",
            "fences opened",
            "records rewrapped",
            "settled",
            "fences closed",
            "records swept",
            "proved",
            "remove v1"),
        allEntries().stream().map(it -> it.action().summary()).toList());
    AuditEntry flip = allEntries().get(8);
    assertEquals(new AuditActor("somebody", "host of worker-1", "worker-1"), flip.action().actor());
    assertEquals(RotationTestFleet.TODAY, flip.action().date());
    assertTrue(flip.text().startsWith("activation.2: v2; active: v1 → v2; "), flip::text);
    assertTrue(flip.changes().contains(new AuditChange("active", "v1", "v2")), flip::text);
    assertTrue(flip.changes().contains(new AuditChange("epoch", "1", "2")), flip::text);
    assertTrue(flip.changes().contains(new AuditChange("v1.state", "active", "decrypt-only")));
    String id = Rotation.lastJob(fleet.keystore().rotation()).orElseThrow().id().value();
    assertEquals(
        9L,
        allEntries().stream().filter(it -> it.action().rotation().equals(id)).count(),
        "of a rotation");
    assertEquals("", allEntries().getLast().action().rotation());
    assertEquals(14, verifyIntact().number());
  }

  @Test
  void refusedOperation_addsNoEntry() {
    AuditHead before = verifyIntact();
    worker.operations.abort();
    worker.operations.announce(v(2), Keystore.Use.RECORDS, RotationTestFleet.TIMINGS);
    assertEquals(before, verifyIntact());
  }

  @Test
  void storeTimes_neverGoBack() {
    worker.operations.rotate(v(1), v(2));
    fleet.runToEnd();
    List<AuditEntry> all = allEntries();
    for (int i = 1; i < all.size(); i++) {
      assertTrue(
          all.get(i).action().storeTime().compareTo(all.get(i - 1).action().storeTime()) >= 0,
          all::toString);
    }
  }

  @Test
  void pages_goBackToTheFirstEntry() {
    AuditReader reader = worker.keyring.keystores().reader();
    List<String> seen = new ArrayList<>();
    AuditPage page = reader.newest(3, _ -> true);
    page.entries().forEach(it -> seen.add(it.id()));
    assertEquals("2", page.nextBefore());
    page = reader.before("2", 3, _ -> true).orElseThrow();
    page.entries().forEach(it -> seen.add(it.id()));
    assertNull(page.nextBefore());
    assertEquals(List.of("4", "3", "2", "1"), seen);
    assertEquals(List.of(), reader.before("1", 3, _ -> true).orElseThrow().entries());
    assertEquals(Optional.empty(), reader.before("9", 3, _ -> true));
  }

  @Test
  void page_listsUnreadableEntries() {
    kv.put(AUDIT, AuditEntryStore.key(KeyringName.MAIN, 3), Value.of("{}"));
    kv.delete(
        AUDIT,
        AuditEntryStore.key(KeyringName.MAIN, 2),
        kv.get(AUDIT, AuditEntryStore.key(KeyringName.MAIN, 2)).orElseThrow().revision());
    AuditPage page = worker.keyring.keystores().reader().newest(10, _ -> true);
    assertEquals(List.of("2", "3"), page.unreadable());
    assertEquals(List.of(4L, 1L), page.entries().stream().map(AuditEntry::number).toList());
  }

  @Test
  void pageOfALostKeystore_isStillReadable() {
    kv.delete(KEYSTORES, MAIN, kv.get(KEYSTORES, MAIN).orElseThrow().revision());
    assertEquals(4, worker.keyring.keystores().reader().newest(10, _ -> true).entries().size());
  }

  /// A crash between the keystore and the chain: the keystore has the entry until a worker, or the
  /// next change, copies it.
  @ParameterizedTest
  @EnumSource
  void crashBeforeTheCopy_losesNoEntry(Successor successor) {
    CrashAtFailpoint crash =
        new CrashAtFailpoint(
            Failpoint.AUDIT_WRITE, Side.BEFORE, 2); // the first call copies the entry of v4
    Peer crashing = fleet.worker("worker-2", crash, 1, 2, 3, 4);
    fleet.heartbeatAll();
    assertThrows(Crashed.class, () -> crashing.operations.rotate(v(1), v(2)));
    crashing.stop();
    assertInstanceOf(Rotation.Staged.class, fleet.keystore().rotation());
    assertEquals(4, copies());
    assertEquals(5, verifyIntact().number());
    assertEquals("rotate v1 to v2", allEntries().getLast().action().summary());
    switch (successor) {
      case WORKER -> worker.loop.tick();
      case OPERATOR -> assertInstanceOf(Done.class, worker.operations.pause());
    }
    assertEquals(6, verifyIntact().number());
    assertEquals(6, copies());
    assertEquals("worker-2", allEntries().get(4).action().actor().instance());
    assertEquals("worker-1", allEntries().get(5).action().actor().instance());
  }

  enum Successor {
    WORKER,
    OPERATOR
  }

  /// The change is stored, and the caller is told so.
  @Test
  void entryThatCannotBeCopied_isCopiedLater() {
    Kv cut =
        new ForwardingKv() {
          @Override
          public Kv inner() {
            return kv;
          }

          @Override
          public WriteResult create(Bucket bucket, Key key, Value value) {
            if (bucket.equals(AUDIT) && key.value().endsWith("5")) {
              throw new StoreException("cut");
            }
            return kv.create(bucket, key, value);
          }
        };
    AuditedKeystoreStore keystores = open(cut);
    var storedKeystore = keystores.read().orElseThrow();
    assertTrue(
        keystores.replace(
            storedKeystore, withRotationStarted(storedKeystore.keystore()), "rotate"));
    assertEquals(4, copies());
    var next = keystores.read().orElseThrow();
    Keystore paused = decide(next.keystore(), new RotationEvent.PauseRequested()).orElseThrow();
    assertThrows(StoreException.class, () -> keystores.replace(next, paused, "pause"));
    worker.loop.tick();
    assertEquals(6, verifyIntact().number()); // the worker has adopted the rotation
  }

  private static Keystore withRotationStarted(Keystore keystore) {
    return decide(keystore, new RotationEvent.StartRequested(new RotationId("r"), v(1), v(2), ""))
        .orElseThrow();
  }

  @Test
  void twoWritersOfOneKeystore_makeOneEntry() {
    AuditedKeystoreStore one = open(kv);
    AuditedKeystoreStore other = open(kv);
    var storedKeystore = one.read().orElseThrow();
    var same = other.read().orElseThrow();
    assertTrue(
        one.replace(storedKeystore, withRotationStarted(storedKeystore.keystore()), "first"));
    assertFalse(other.replace(same, withRotationStarted(same.keystore()), "second"));
    assertEquals(5, verifyIntact().number());
    assertEquals("first", allEntries().getLast().action().summary());
  }

  /// The next change would take a number that the chain already has.
  @Test
  void restoredKeystore_isNotChanged() {
    Value old = kv.get(KEYSTORES, MAIN).orElseThrow().value();
    assertInstanceOf(Done.class, worker.operations.rotate(v(1), v(2)));
    kv.put(KEYSTORES, MAIN, old);
    MalformedValueException e =
        assertThrows(MalformedValueException.class, () -> worker.operations.rotate(v(1), v(2)));
    assertEquals(
        "the audit chain has an entry 5 that the keystore does not have: one of them was restored"
            + " or edited; see `keyfleet audit verify`",
        e.getMessage());
    assertEquals(old, kv.get(KEYSTORES, MAIN).orElseThrow().value());
    assertEquals(
        "5",
        assertInstanceOf(AuditVerdict.Broken.class, worker.keyring.keystores().reader().verify())
            .entry());
  }

  @Test
  void otherEntryOfTheSameNumber_isNotOverwritten() {
    Key fourth = AuditEntryStore.key(KeyringName.MAIN, 4);
    kv.put(
        AUDIT,
        fourth,
        kv.get(AUDIT, AuditEntryStore.key(KeyringName.MAIN, 3)).orElseThrow().value());
    AuditedKeystoreStore fresh = open(kv);
    var storedKeystore = fresh.read().orElseThrow();
    assertThrows(
        MalformedValueException.class,
        () ->
            fresh.replace(
                storedKeystore, withRotationStarted(storedKeystore.keystore()), "rotate"));
    assertEquals(storedKeystore.revision(), fresh.read().orElseThrow().revision());
  }

  @Test
  void recreatedKeystore_continuesTheChain() {
    kv.delete(KEYSTORES, MAIN, kv.get(KEYSTORES, MAIN).orElseThrow().revision());
    assertInstanceOf(
        Done.class,
        worker.operations.announce(v(1), Keystore.Use.RECORDS, RotationTestFleet.TIMINGS));
    assertEquals(5, verifyIntact().number());
    assertTrue(allEntries().getLast().text().contains("v4.state: announced → none"));
  }

  @Test
  void keystoreThatKeepsChanging_isUnsettled() {
    Kv restless =
        new ForwardingKv() {
          @Override
          public Kv inner() {
            Value same = kv.get(KEYSTORES, MAIN).orElseThrow().value();
            kv.put(KEYSTORES, MAIN, same);
            return kv;
          }
        };
    assertEquals(new AuditVerdict.Unsettled(), open(restless).reader().verify());
  }

  /// Collects the keystores that are really written.
  private record CountingKv(Kv inner, List<Value> keystores) implements ForwardingKv {
    @Override
    public WriteResult create(Bucket bucket, Key key, Value value) {
      return count(bucket, value, inner.create(bucket, key, value));
    }

    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      return count(bucket, value, inner.update(bucket, key, value, expected));
    }

    private WriteResult count(Bucket bucket, Value value, WriteResult writeResult) {
      if (bucket.equals(KEYSTORES) && writeResult instanceof WriteResult.Written) {
        keystores.add(value);
      }
      return writeResult;
    }
  }

  @Test
  void lostAnswers_everyChangeHasOneEntry() {
    long changes = LongStream.range(0, SEEDS).map(KeyringStoreAuditTest::walk).sum();
    assertTrue(changes > 10L * SEEDS, () -> "only " + changes);
  }

  /// Returns the number of changes.
  private static long walk(long seed) {
    KeyringStoreAuditTest test = new KeyringStoreAuditTest();
    test.begin();
    Random random = new Random(seed);
    CountingKv countingKv = new CountingKv(test.kv, new ArrayList<>());
    Supplier<Fault> faults =
        () -> random.nextInt(3) == 0 ? FAULTS.get(random.nextInt(4)) : Fault.NONE;
    List<AuditedKeystoreStore> writers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      writers.add(test.open(new UnreliableKv(countingKv, faults)));
    }
    for (int i = 0; i < STEPS; i++) {
      step(writers.get(random.nextInt(writers.size())), random);
    }
    AuditedKeystoreStore last = test.worker.keyring.keystores();
    last.read().ifPresent(last::copyEntry);
    String words = "seed " + seed;
    AuditHead head = assertInstanceOf(Intact.class, last.reader().verify(), words).head();
    assertEquals(4 + countingKv.keystores().size(), head.number(), words);
    assertEquals(head.number(), test.copies(), words);
    return countingKv.keystores().size();
  }

  private static void step(AuditedKeystoreStore keystores, Random random) {
    List<RotationEvent> rotationEvents =
        List.of(
            new RotationEvent.StartRequested(new RotationId("r"), v(1), v(2), ""),
            new RotationEvent.PauseRequested(),
            new RotationEvent.ResumeRequested(),
            new RotationEvent.Adopted(new RotationId("r"), "w" + random.nextInt(9)),
            new RotationEvent.AbortRequested());
    RotationEvent rotationEvent = rotationEvents.get(random.nextInt(rotationEvents.size()));
    try {
      var storedKeystore = keystores.read().orElseThrow();
      decide(storedKeystore.keystore(), rotationEvent)
          .ifPresent(
              next -> keystores.replace(storedKeystore, next, AuditSummary.of(rotationEvent)));
    } catch (StoreException e) {
      assertTrue(e.getMessage().contains("no clear answer"), e.getMessage());
    }
  }
}
