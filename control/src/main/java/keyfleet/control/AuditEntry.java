package keyfleet.control;

import static java.util.stream.Collectors.joining;

import java.util.List;
import keyfleet.crypto.KeyringName;

/// One change of a keystore, as the audit has it. It says which entry it follows, so that its hash
/// stands for the chain up to it.
public record AuditEntry(
    KeyringName keyring,
    AuditHead previous,
    AuditDeed deed,
    List<AuditChange> changes,
    String nonce) {
  public AuditEntry {
    changes = List.copyOf(changes);
  }

  public long number() {
    return previous.number() + 1;
  }

  /// The place in the chain to which this entry leads.
  public AuditHead head() {
    return new AuditHead(number(), AuditHash.of(this));
  }

  /// What changed, for people.
  public String words() {
    return changes.stream().map(AuditChange::words).collect(joining("; "));
  }
}
