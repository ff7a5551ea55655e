package keyfleet.control.audit;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.Optional;
import keyfleet.control.audit.AuditVerdict.Broken;
import keyfleet.control.audit.AuditVerdict.Intact;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.store.Entry;
import keyfleet.store.MalformedValueException;

/// Follows an audit chain from its first entry to the one that the keystore holds.
///
/// The entry that the keystore holds may not have been copied into the chain yet; every other must
/// be there, and none beyond it.
final class AuditVerifier {
  private final KeyringName keyring;
  private final AuditHead noted;
  private final AuditEntry last;
  private AuditHead head = AuditHead.NONE;
  private KeystoreFacts facts = KeystoreFacts.NONE;

  AuditVerifier(KeyringName keyring, AuditEntry last, AuditHead noted) {
    this.keyring = keyring;
    this.last = last;
    this.noted = noted;
  }

  AuditVerdict judge(List<Entry> stored, Keystore keystore) {
    for (Entry one : stored) {
      Optional<String> objection = follow(one);
      if (objection.isPresent()) {
        return new Broken(head.number() + 1, objection.get());
      }
    }
    boolean isToCome = head.number() == last.number() - 1;
    return (isToCome ? follow(last) : Optional.<String>empty())
        .or(this::missing)
        .<AuditVerdict>map(objection -> new Broken(head.number() + 1, objection))
        .orElseGet(() -> judge(keystore));
  }

  private Optional<String> follow(Entry stored) {
    if (!stored.key().equals(AuditEntryStore.key(keyring, head.number() + 1))) {
      return Optional.of("it is missing, and " + stored.key() + " is next");
    }
    if (head.number() >= last.number()) {
      return Optional.of("the keystore, at " + last.number() + ", does not know of it");
    }
    try {
      return follow(AuditDocument.read(stored.value()));
    } catch (MalformedValueException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private Optional<String> follow(AuditEntry entry) {
    Optional<KeystoreFacts> next = facts.after(entry.changes());
    if (!entry.keyring().equals(keyring) || !entry.previous().equals(head)) {
      return Optional.of("it does not follow the entry before it");
    }
    if (next.isEmpty()) {
      return Optional.of("it begins with another keystore than the entry before it left");
    }
    if (entry.number() == last.number() && !entry.equals(last)) {
      return Optional.of("the keystore holds another entry of this number");
    }
    if (entry.number() == noted.number() && !entry.head().equals(noted)) {
      return Optional.of("it is another entry than the one noted");
    }
    head = entry.head();
    facts = next.get();
    return Optional.empty();
  }

  private Optional<String> missing() {
    long most = Math.max(last.number(), noted.number());
    return head.number() < most
        ? Optional.of("it is missing, as the chain once had " + most)
        : Optional.empty();
  }

  private AuditVerdict judge(Keystore keystore) {
    List<AuditChange> unaudited = facts.changesTo(KeystoreFacts.of(keystore));
    String words = unaudited.stream().map(AuditChange::words).collect(joining("; "));
    return unaudited.isEmpty()
        ? new Intact(head)
        : new Broken(head.number() + 1, "the keystore was changed without an entry: " + words);
  }
}
