package keyfleet.control.audit;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditVerdict.Broken;
import keyfleet.control.audit.AuditVerdict.Intact;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RotationTestFleet;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.crypto.KeyringName;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.store.Bucket;
import keyfleet.store.Bytes;
import keyfleet.store.Entry;
import keyfleet.store.FakeKv;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Several writers write to the audit while the keystore changes. Each edit of a tied entry is
/// found (P11), and writers do not wait for each other.
class AuditChainsTest {
  private static final Bucket AUDIT = new Bucket.Lasting("audit");
  private static final Bucket TIES = new Bucket.Lasting("audit_ties");
  private static final int WRITERS = 3;

  private final RotationTestFleet fleet = new RotationTestFleet();
  private final FakeKv kv = fleet.kv();
  private final Peer worker = fleet.worker("worker-1", 1, 2, 3, 4);
  private final List<AuditedKeystoreStore> writers = new ArrayList<>();
  private int nonces;
  private Runnable restore = () -> {};

  /// The writers write before, during and after a rotation; after the last tie nothing is written.
  @BeforeEach
  void rotate() {
    fleet.bootstrap(worker);
    for (int i = 0; i < WRITERS; i++) {
      writers.add(open(kv));
    }
    writeIntents();
    writeIntents();
    worker.operations.rotate(v(1), v(2));
    writeIntents();
    fleet.runToEnd();
    writers.getFirst().writeIntent(keystore(), "put secret late", intent());
    worker.operations.rotate(v(2), v(3));
    fleet.runToEnd();
    assertEquals(List.of(), verifyIntact().untied());
    assertEquals(3 * WRITERS + 1, writerEntries().size());
    restore = kv.checkpoint();
  }

  private AuditedKeystoreStore open(Kv store) {
    return new KeyringStore(
            KeyringName.MAIN, store, () -> "m-" + nonces++, Failpoints.NONE, AuditContext.ANONYMOUS)
        .keystores();
  }

  private StoredKeystore keystore() {
    return worker.keyring.keystores().read().orElseThrow();
  }

  private static List<AuditChange> intent() {
    return List.of(AuditChange.ofSecretIntent("a", "", "d"));
  }

  private void writeIntents() {
    for (AuditedKeystoreStore writer : writers) {
      assertTrue(writer.writeIntent(keystore(), "put secret a", intent()));
    }
  }

  private AuditReader reader() {
    return worker.keyring.keystores().reader();
  }

  private Intact verifyIntact() {
    return assertInstanceOf(Intact.class, reader().verify());
  }

  private void assertFound(String edit) {
    assertInstanceOf(Broken.class, reader().verify(), edit);
    restore.run();
  }

  private List<Entry> storedEntries() {
    return kv.list(AUDIT, Prefix.ALL);
  }

  private List<AuditEntry> writerEntries() {
    return storedEntries().stream()
        .map(it -> AuditDocument.parse(it.value()))
        .filter(it -> !it.link().isOfKeystore())
        .toList();
  }

  private void forEachStored(Consumer<Entry> edit) {
    storedEntries().forEach(edit);
  }

  private void delete(Bucket bucket, Entry entry) {
    kv.delete(bucket, entry.key(), kv.get(bucket, entry.key()).orElseThrow().revision());
  }

  @Test
  void entryRemoved_isFound() {
    AuditHead head = verifyIntact().head();
    forEachStored(entry -> {
      if (!entry.key().equals(AuditEntryStore.key(KeyringName.MAIN, head.number()))) {
        delete(AUDIT, entry);
        assertFound("without " + entry.key());
      }
    });
  }

  @Test
  void chainRemoved_isFound() {
    Set<String> chains = new TreeSet<>();
    writerEntries().forEach(it -> chains.add(it.link().chain()));
    assertEquals(WRITERS, chains.size());
    for (String chain : chains) {
      forEachStored(entry -> {
        if (entry.key().value().contains("." + chain + ".")) {
          delete(AUDIT, entry);
        }
      });
      assertFound("without chain " + chain);
    }
  }

  @Test
  void byteEdited_isFound() {
    for (Bucket bucket : List.of(AUDIT, TIES)) {
      for (Entry entry : kv.list(bucket, Prefix.ALL)) {
        byte[] bytes = entry.value().bytes().toArray();
        for (int i = 0; i < bytes.length; i += 9 + i % 7) {
          byte[] edited = bytes.clone();
          edited[i] ^= 1;
          kv.put(bucket, entry.key(), new Value(Bytes.copyOf(edited)));
          assertFound(entry.key() + " at byte " + i);
        }
      }
    }
  }

  @Test
  void entriesSwapped_areFound() {
    List<Entry> all = storedEntries();
    for (int i = 0; i < all.size(); i++) {
      for (int j = i + 1; j < all.size(); j++) {
        kv.put(AUDIT, all.get(i).key(), all.get(j).value());
        kv.put(AUDIT, all.get(j).key(), all.get(i).value());
        assertFound(all.get(i).key() + " and " + all.get(j).key());
      }
    }
  }

  /// All hashes of the rewritten chain are correct; only the tie has the original one.
  @Test
  void chainRewrittenFromAnyEntry_isFoundByItsTie() {
    for (AuditEntry first : writerEntries()) {
      Optional<AuditHead> previous = Optional.empty();
      for (AuditEntry entry : writerEntries()) {
        if (entry.link().chain().equals(first.link().chain()) && entry.number() >= first.number()) {
          AuditChainHead before =
              new AuditChainHead(entry.link().chain(), previous.orElse(entry.previous()));
          AuditEntry forged =
              new AuditEntry(
                  entry.keyring(),
                  AuditLink.ofWriter(before, entry.link().keystoreHead()),
                  entry.action(),
                  List.of(AuditChange.ofSecretIntent("a", "", "forged")),
                  entry.nonce());
          kv.put(AUDIT, AuditEntryStore.key(forged), AuditDocument.toDocument(forged).toValue());
          previous = Optional.of(forged.head());
        }
      }
      assertFound("rewritten from " + first.id());
    }
  }

  @Test
  void tieRemoved_isFound() {
    List<Entry> ties = kv.list(TIES, Prefix.ALL);
    assertFalse(ties.isEmpty());
    ties.forEach(tie -> {
      delete(TIES, tie);
      assertFound("without " + tie.key());
    });
  }

  @Test
  void unknownKey_isFound() {
    Value value =
        kv.get(AUDIT, AuditEntryStore.key(writerEntries().getFirst())).orElseThrow().value();
    for (String key :
        List.of("main.0000000000000004.m", "main.0000000000000004.m.1", "main.x.m.1")) {
      kv.put(AUDIT, new Key(key), value);
      assertFound(key);
    }
  }

  /// What can be removed unseen: only entries after the last tie.
  @Test
  void entriesAfterTheLastTie_areCountedUntilTheNextTie() {
    AuditHead head = verifyIntact().head();
    writeIntents();
    List<AuditChainHead> untied = verifyIntact().untied();
    assertEquals(WRITERS, untied.size());
    assertTrue(worker.keyring.keystores().tie(keystore(), untied));
    assertEquals(List.of(), verifyIntact().untied());
    assertEquals(head.number() + 1, verifyIntact().head().number());
  }

  /// The keystore's author read the list before the entry was written.
  @Test
  void entryWrittenDuringAChange_isTiedByTheNext() {
    StoredKeystore before = keystore();
    worker.operations.rotate(v(3), v(4));
    assertTrue(writers.getFirst().writeIntent(before, "put secret a", intent()));
    assertEquals(1, verifyIntact().untied().size());
    worker.operations.pause();
    assertEquals(List.of(), verifyIntact().untied());
  }

  @Test
  void staleReadOfTheKeystore_doesNotTurnAChainBack() {
    StoredKeystore before = keystore();
    worker.operations.rotate(v(3), v(4));
    assertTrue(writers.getFirst().writeIntent(keystore(), "put secret a", intent()));
    assertFalse(writers.getFirst().writeIntent(before, "put secret a", intent()));
    verifyIntact();
  }

  /// The entry may be stored or not; a new chain is right in both cases.
  @Test
  void lostAnswer_beginsAnotherChain() {
    boolean[] isCut = {true};
    Kv cut =
        new ForwardingKv() {
          @Override
          public Kv inner() {
            return kv;
          }

          @Override
          public WriteResult create(Bucket bucket, Key key, Value value) {
            WriteResult result = kv.create(bucket, key, value);
            if (isCut[0]) {
              throw new StoreException("cut");
            }
            return result;
          }
        };
    AuditedKeystoreStore writer = open(cut);
    try {
      writer.writeIntent(keystore(), "put secret a", intent());
    } catch (StoreException e) {
      isCut[0] = false;
    }
    assertFalse(isCut[0]);
    assertTrue(writer.writeIntent(keystore(), "put secret a", intent()));
    assertEquals(2, verifyIntact().untied().size());
  }

  /// A chain that was restored as a whole to an earlier state.
  @Test
  void entryAfterAKeystoreEntryThatIsMissing_isFound() {
    Value old = kv.get(new Bucket.Lasting("keystores"), new Key("main")).orElseThrow().value();
    worker.operations.rotate(v(3), v(4));
    writeIntents();
    AuditHead head = verifyIntact().head();
    Key last = AuditEntryStore.key(KeyringName.MAIN, head.number());
    kv.delete(AUDIT, last, kv.get(AUDIT, last).orElseThrow().revision());
    kv.put(new Bucket.Lasting("keystores"), new Key("main"), old);
    Broken broken = assertInstanceOf(Broken.class, reader().verify());
    assertEquals(Long.toString(head.number()), broken.entry());
  }

  @Test
  void pages_areInOrderOfStoreTime() {
    List<String> seen = new ArrayList<>();
    AuditPage page = reader().newest(4, _ -> true);
    page.entries().forEach(it -> seen.add(it.id()));
    for (String next = page.nextBefore(); next != null; next = page.nextBefore()) {
      page = reader().before(next, 4, _ -> true).orElseThrow();
      page.entries().forEach(it -> seen.add(it.id()));
    }
    assertEquals(storedEntries().size(), seen.size());
    assertEquals(seen.size(), Set.copyOf(seen).size());
    assertEquals("1", seen.getLast());
  }
}
