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

/// Reads the audit of a keyring, and verifies it. It changes nothing.
public final class AuditReader {
  /// A limit because each entry of a page is a separate read.
  public static final int MAX_PAGE = 200;

  /// A few tries are enough: changes are seconds apart, and one try takes less.
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

  /// The chain must also contain `knownHead`, which an earlier verdict named.
  public AuditVerdict verify(AuditHead knownHead) {
    for (int i = 0; i < MAX_TRIES; i++) {
      StoredKeystore storedKeystore = keystore.get().orElse(null);
      List<Entry> stored = entryStore.list();
      StoredKeystore after = keystore.get().orElse(null);
      if (storedKeystore == null && after == null) {
        return verdictWithoutKeystore(stored, knownHead);
      }
      // Which entries must exist is known only if the keystore did not change meanwhile.
      if (storedKeystore != null
          && after != null
          && storedKeystore.revision().equals(after.revision())) {
        return verifyChain(storedKeystore, stored, knownHead);
      }
    }
    return new Unsettled();
  }

  private static AuditVerdict verdictWithoutKeystore(List<Entry> stored, AuditHead knownHead) {
    return stored.isEmpty() && knownHead.equals(AuditHead.NONE)
        ? new Intact(AuditHead.NONE)
        : new Broken(
            stored.size() + 1L, "the keystore is missing, so the end of the chain is unknown");
  }

  private AuditVerdict verifyChain(
      StoredKeystore storedKeystore, List<Entry> stored, AuditHead knownHead) {
    AuditEntry last;
    try {
      last = AuditDocument.parse(storedKeystore.auditNote());
    } catch (MalformedValueException e) {
      return new Broken(
          stored.size() + 1L, "the entry in the keystore is malformed: " + e.getMessage());
    }
    return new AuditVerifier(entryStore.keyring(), last, knownHead)
        .verify(stored, storedKeystore.keystore());
  }

  /// The newest entries, `size` of them at most.
  public AuditPage newest(int size) {
    return page(highestNumber() + 1, size);
  }

  /// The entries below `number`, newest first. Numbers above the end of the chain are not reported
  /// as missing.
  public AuditPage below(long number, int size) {
    return page(Math.min(number, highestNumber() + 1), size);
  }

  private AuditPage page(long number, int size) {
    List<AuditEntry> entries = new ArrayList<>();
    List<Long> unreadable = new ArrayList<>();
    long first = Math.max(1, number - Math.clamp(size, 1, MAX_PAGE));
    for (long i = number - 1; i >= first; i--) {
      Optional<AuditEntry> entry = findEntry(i);
      entry.ifPresent(entries::add);
      if (entry.isEmpty()) {
        unreadable.add(i);
      }
    }
    return new AuditPage(entries, unreadable, first);
  }

  private Optional<AuditEntry> findEntry(long number) {
    try {
      return entryStore
          .find(number)
          .map(stored -> AuditDocument.parse(stored.value()))
          .or(() -> findUncopied(number));
    } catch (MalformedValueException e) {
      return Optional.empty();
    }
  }

  /// The newest entry may still be only in the keystore.
  private Optional<AuditEntry> findUncopied(long number) {
    return entryInKeystore().filter(entry -> entry.number() == number);
  }

  private Optional<AuditEntry> entryInKeystore() {
    return keystore.get().map(storedKeystore -> AuditDocument.parse(storedKeystore.auditNote()));
  }

  private long highestNumber() {
    return entryInKeystore()
        .map(AuditEntry::number)
        .orElseGet(() -> (long) entryStore.list().size());
  }
}
