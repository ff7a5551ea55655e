package keyfleet.control.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.control.audit.AuditVerdict.Broken;
import keyfleet.control.audit.AuditVerdict.Intact;
import keyfleet.control.audit.AuditVerdict.Unsettled;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.store.Entry;
import keyfleet.store.MalformedValueException;

/// What was done to a keyring, for whoever wants to read it or to check it. It changes nothing.
public final class AuditReader {
  /// Each entry of a page is a read of its own.
  public static final int MAX_PAGE = 200;

  /// Changes are seconds apart or more, and looking takes less.
  private static final int MAX_TRIES = 5;

  private final AuditEntryStore entryStore;
  private final Supplier<Optional<StoredKeystore>> keystore;

  AuditReader(AuditEntryStore entryStore, Supplier<Optional<StoredKeystore>> keystore) {
    this.entryStore = entryStore;
    this.keystore = keystore;
  }

  public AuditVerdict verify() {
    return verify(AuditHead.NONE);
  }

  /// The chain must also lead through `noted`, which an earlier verdict named.
  public AuditVerdict verify(AuditHead knownHead) {
    for (int i = 0; i < MAX_TRIES; i++) {
      StoredKeystore storedKeystore = keystore.get().orElse(null);
      List<Entry> stored = entryStore.list();
      StoredKeystore after = keystore.get().orElse(null);
      if (storedKeystore == null && after == null) {
        return withoutKeystore(stored, knownHead);
      }
      // Only of one keystore all along is it known which entries there must be.
      if (storedKeystore != null
          && after != null
          && storedKeystore.revision().equals(after.revision())) {
        return judge(storedKeystore, stored, knownHead);
      }
    }
    return new Unsettled();
  }

  private static AuditVerdict withoutKeystore(List<Entry> stored, AuditHead knownHead) {
    return stored.isEmpty() && knownHead.equals(AuditHead.NONE)
        ? new Intact(AuditHead.NONE)
        : new Broken(stored.size() + 1L, "there is no keystore to say where the chain ends");
  }

  private AuditVerdict judge(
      StoredKeystore storedKeystore, List<Entry> stored, AuditHead knownHead) {
    AuditEntry last;
    try {
      last = AuditDocument.parse(storedKeystore.auditNote());
    } catch (MalformedValueException e) {
      return new Broken(stored.size() + 1L, "the keystore does not say it: " + e.getMessage());
    }
    return new AuditVerifier(entryStore.keyring(), last, knownHead)
        .verify(stored, storedKeystore.keystore());
  }

  /// The newest entries, `size` of them at most.
  public AuditPage newest(int size) {
    return page(highestNumber() + 1, size);
  }

  /// The next older ones. What is beyond the end is not missing.
  public AuditPage below(long number, int size) {
    return page(Math.min(number, highestNumber() + 1), size);
  }

  private AuditPage page(long number, int size) {
    List<AuditEntry> entries = new ArrayList<>();
    List<Long> unreadable = new ArrayList<>();
    long first = Math.max(1, number - Math.clamp(size, 1, MAX_PAGE));
    for (long i = number - 1; i >= first; i--) {
      Optional<AuditEntry> entry = entry(i);
      entry.ifPresent(entries::add);
      if (entry.isEmpty()) {
        unreadable.add(i);
      }
    }
    return new AuditPage(entries, unreadable, first);
  }

  private Optional<AuditEntry> entry(long number) {
    try {
      return entryStore
          .find(number)
          .map(stored -> AuditDocument.parse(stored.value()))
          .or(() -> uncopied(number));
    } catch (MalformedValueException e) {
      return Optional.empty();
    }
  }

  /// The newest entry may still be in the keystore only.
  private Optional<AuditEntry> uncopied(long number) {
    return lastOfKeystore().filter(entry -> entry.number() == number);
  }

  private Optional<AuditEntry> lastOfKeystore() {
    return keystore.get().map(storedKeystore -> AuditDocument.parse(storedKeystore.auditNote()));
  }

  private long highestNumber() {
    return lastOfKeystore()
        .map(AuditEntry::number)
        .orElseGet(() -> (long) entryStore.list().size());
  }
}
