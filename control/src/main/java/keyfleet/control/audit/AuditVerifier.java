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

/// Follows an audit chain from its first entry to the one in the keystore.
///
/// The entry in the keystore may not be in the chain yet. All others must be, and none may follow
/// it.
final class AuditVerifier {
  private final KeyringName keyring;
  private final AuditHead knownHead;
  private final AuditEntry last;
  private AuditHead head = AuditHead.NONE;
  private KeystoreFacts facts = KeystoreFacts.NONE;

  AuditVerifier(KeyringName keyring, AuditEntry last, AuditHead knownHead) {
    this.keyring = keyring;
    this.last = last;
    this.knownHead = knownHead;
  }

  AuditVerdict verify(List<Entry> stored, Keystore keystore) {
    for (Entry entry : stored) {
      Optional<String> objection = follow(entry);
      if (objection.isPresent()) {
        return new Broken(head.number() + 1, objection.get());
      }
    }
    boolean isLastUncopied = head.number() == last.number() - 1;
    return (isLastUncopied ? follow(last) : Optional.<String>empty())
        .or(this::checkLength)
        .<AuditVerdict>map(objection -> new Broken(head.number() + 1, objection))
        .orElseGet(() -> verify(keystore));
  }

  private Optional<String> follow(Entry stored) {
    if (!stored.key().equals(AuditEntryStore.key(keyring, head.number() + 1))) {
      return Optional.of("the entry is missing; the next one is " + stored.key());
    }
    if (head.number() >= last.number()) {
      return Optional.of(
          "the entry is not known to the keystore, which is at entry " + last.number());
    }
    try {
      return follow(AuditDocument.parse(stored.value()));
    } catch (MalformedValueException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private Optional<String> follow(AuditEntry entry) {
    Optional<KeystoreFacts> next = facts.after(entry.changes());
    if (!entry.keyring().equals(keyring) || !entry.previous().equals(head)) {
      return Optional.of("the entry does not follow the entry before it");
    }
    if (next.isEmpty()) {
      return Optional.of("the entry starts from another keystore than the entry before it left");
    }
    if (entry.number() == last.number() && !entry.equals(last)) {
      return Optional.of("the keystore has another entry with this number");
    }
    if (entry.number() == knownHead.number() && !entry.head().equals(knownHead)) {
      return Optional.of("the entry is not the one that was noted");
    }
    head = entry.head();
    facts = next.get();
    return Optional.empty();
  }

  private Optional<String> checkLength() {
    long most = Math.max(last.number(), knownHead.number());
    return head.number() < most
        ? Optional.of("the entry is missing; the chain once had " + most)
        : Optional.empty();
  }

  private AuditVerdict verify(Keystore keystore) {
    List<AuditChange> unaudited = facts.changesTo(KeystoreFacts.of(keystore));
    String text = unaudited.stream().map(AuditChange::text).collect(joining("; "));
    return unaudited.isEmpty()
        ? new Intact(head)
        : new Broken(head.number() + 1, "the keystore was changed without an entry: " + text);
  }
}
