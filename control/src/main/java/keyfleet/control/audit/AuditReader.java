package keyfleet.control.audit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import keyfleet.control.audit.AuditVerdict.Broken;
import keyfleet.control.audit.AuditVerdict.Intact;
import keyfleet.control.audit.AuditVerdict.Unsettled;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;

/// Reads the audit of a keyring, and verifies it. It changes nothing.
public final class AuditReader {
  /// A limit because a page is in memory as a whole.
  public static final int MAX_PAGE = 1000;

  /// How many unreadable entries a page names.
  private static final int MAX_UNREADABLE = 100;

  /// A few tries are enough: changes are seconds apart, and one try takes less.
  private static final int MAX_TRIES = 5;

  private static final Comparator<AuditEntry> OLDEST_FIRST =
      Comparator.<AuditEntry, StoreTime>comparing(it -> it.action().storeTime())
          .thenComparingLong(AuditReader::keystoreNumber)
          .thenComparing(it -> !it.link().isOfKeystore())
          .thenComparing(it -> it.link().chain())
          .thenComparingLong(AuditEntry::number);

  private final AuditEntryStore entryStore;
  private final Supplier<Optional<StoredKeystore>> keystore;

  AuditReader(AuditEntryStore entryStore, Supplier<Optional<StoredKeystore>> keystore) {
    this.entryStore = entryStore;
    this.keystore = keystore;
  }

  /// The entry of the keystore's chain that the entry is or names.
  private static long keystoreNumber(AuditEntry entry) {
    return entry.link().isOfKeystore() ? entry.number() : entry.link().keystoreHead().number();
  }

  public AuditVerdict verify() {
    return verify(AuditHead.NONE);
  }

  /// The keystore's chain must also contain `knownHead`, which an earlier verdict named.
  ///
  /// Some stores list entries that are written meanwhile in part only, so a broken audit must be
  /// found broken at the same entry twice.
  public AuditVerdict verify(AuditHead knownHead) {
    AuditVerdict before = new Unsettled();
    for (int i = 0; i < MAX_TRIES; i++) {
      AuditVerdict verdict = tryVerify(knownHead);
      if (verdict instanceof Intact || (verdict instanceof Broken && verdict.equals(before))) {
        return verdict;
      }
      before = verdict;
    }
    return new Unsettled();
  }

  /// Which entries must exist is known only if the keystore did not change meanwhile.
  private AuditVerdict tryVerify(AuditHead knownHead) {
    StoredKeystore storedKeystore = keystore.get().orElse(null);
    if (storedKeystore == null) {
      long stored = entryCount();
      return keystore.get().isPresent()
          ? new Unsettled()
          : verdictWithoutKeystore(stored, knownHead);
    }
    Map<String, Value> ties = entryStore.listTies();
    AuditEntry last;
    try {
      last = AuditDocument.parse(storedKeystore.auditNote());
    } catch (MalformedValueException e) {
      return new Broken(
          Long.toString(keystoreEntryCount() + 1),
          "the entry in the keystore is malformed: " + e.getMessage());
    }
    AuditVerifier verifier = new AuditVerifier(entryStore.keyring(), last, knownHead, ties);
    entryStore.forEach(verifier::follow);
    boolean isUnchanged =
        keystore.get().filter(it -> it.revision().equals(storedKeystore.revision())).isPresent();
    return isUnchanged ? verifier.verdict(storedKeystore.keystore()) : new Unsettled();
  }

  private AuditVerdict verdictWithoutKeystore(long stored, AuditHead knownHead) {
    return stored == 0 && knownHead.equals(AuditHead.NONE)
        ? new Intact(AuditHead.NONE, List.of())
        : new Broken(
            Long.toString(keystoreEntryCount() + 1),
            "the keystore is missing, so the end of the chain is unknown");
  }

  private long entryCount() {
    return count(_ -> true);
  }

  private long keystoreEntryCount() {
    return count(this::isOfKeystore);
  }

  private long count(Predicate<Entry> filter) {
    long[] count = {0};
    entryStore.forEach(it -> count[0] += filter.test(it) ? 1 : 0);
    return count[0];
  }

  private boolean isOfKeystore(Entry stored) {
    return stored.key().value().indexOf('.', entryStore.keyring().value().length() + 1) < 0;
  }

  /// The newest entries that pass the filter, `size` of them at most.
  public AuditPage newest(int size, Predicate<AuditEntry> filter) {
    return page(size, filter);
  }

  /// As [#newest], with only entries older than the one with this id; empty if there is none.
  public Optional<AuditPage> before(String id, int size, Predicate<AuditEntry> filter) {
    return find(id).map(limit -> page(size, filter.and(it -> OLDEST_FIRST.compare(it, limit) < 0)));
  }

  private Optional<AuditEntry> find(String id) {
    List<AuditEntry> found = new ArrayList<>();
    forEach(
        it -> {
          if (it.id().equals(id)) {
            found.add(it);
          }
        },
        _ -> {});
    return found.stream().findFirst();
  }

  /// Reads all entries and keeps the newest: no engine sorts them by time.
  private AuditPage page(int size, Predicate<AuditEntry> filter) {
    int limit = Math.clamp(size, 1, MAX_PAGE);
    PriorityQueue<AuditEntry> newest = new PriorityQueue<>(OLDEST_FIRST);
    List<String> unreadable = new ArrayList<>();
    boolean[] isCut = {false};
    forEach(
        entry -> {
          if (filter.test(entry)) {
            newest.add(entry);
            if (newest.size() > limit) {
              newest.remove();
              isCut[0] = true;
            }
          }
        },
        id -> {
          if (unreadable.size() < MAX_UNREADABLE) {
            unreadable.add(id);
          }
        });
    List<AuditEntry> entries = newest.stream().sorted(OLDEST_FIRST.reversed()).toList();
    return new AuditPage(entries, unreadable, isCut[0] ? entries.getLast().id() : null);
  }

  /// Passes on all entries, by key, and the ids of those that are malformed, or are missing in the
  /// keystore's chain. The newest entry may still be only in the keystore.
  public void forEach(Consumer<AuditEntry> entries, Consumer<String> unreadable) {
    Optional<AuditEntry> inKeystore = entryInKeystore();
    long[] number = {0};
    entryStore.forEach(stored -> {
      if (isOfKeystore(stored)) {
        number[0]++;
        for (;
            !stored.key().equals(keyOf(number[0])) && keyOf(number[0]).compareTo(stored.key()) < 0;
            number[0]++) {
          unreadable.accept(Long.toString(number[0]));
        }
      }
      try {
        entries.accept(AuditDocument.parse(stored.value()));
      } catch (MalformedValueException e) {
        unreadable.accept(AuditPage.idOf(entryStore.keyring(), stored.key()));
      }
    });
    inKeystore
        .filter(it -> it.number() > number[0])
        .ifPresent(it -> {
          for (long missing = number[0] + 1; missing < it.number(); missing++) {
            unreadable.accept(Long.toString(missing));
          }
          entries.accept(it);
        });
  }

  /// Passes on the ties and then all entries, each as a line of JSON as it is stored: a copy can be
  /// verified without the store.
  public void export(Consumer<String> lines, Consumer<String> unreadable) {
    entryStore
        .listTies()
        .forEach((digest, value) -> {
          if (AuditTie.digest(value).equals(digest)) {
            lines.accept("{\"tie\":\"" + digest + "\",\"stored\":" + value.text() + "}");
          } else {
            unreadable.accept("tie " + digest);
          }
        });
    forEach(entry -> lines.accept(AuditDocument.toDocument(entry).toValue().text()), unreadable);
  }

  private Key keyOf(long number) {
    return AuditEntryStore.key(entryStore.keyring(), number);
  }

  private Optional<AuditEntry> entryInKeystore() {
    try {
      return keystore.get().map(it -> AuditDocument.parse(it.auditNote()));
    } catch (MalformedValueException e) {
      return Optional.empty(); // a verdict says so
    }
  }
}
