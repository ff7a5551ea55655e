package keyfleet.control.audit;

import static java.util.stream.Collectors.joining;

import java.util.List;
import keyfleet.crypto.KeyringName;
import org.jspecify.annotations.Nullable;

/// One change of a keystore, as the audit has it. It says which entry it follows, so that its hash
/// stands for the chain up to it.
public final class AuditEntry {
  private final KeyringName keyring;
  private final AuditHead previous;
  private final AuditAction action;
  private final List<AuditChange> changes;
  private final String nonce;

  /// Every check asks for it, some of them twice. Two threads may find the same one.
  private volatile @Nullable AuditHead head;

  public AuditEntry(
      KeyringName keyring,
      AuditHead previous,
      AuditAction action,
      List<AuditChange> changes,
      String nonce) {
    this.keyring = keyring;
    this.previous = previous;
    this.action = action;
    this.changes = List.copyOf(changes);
    this.nonce = nonce;
  }

  public KeyringName keyring() {
    return keyring;
  }

  public AuditHead previous() {
    return previous;
  }

  public AuditAction action() {
    return action;
  }

  public List<AuditChange> changes() {
    return changes;
  }

  public String nonce() {
    return nonce;
  }

  public long number() {
    return previous.number() + 1;
  }

  /// The place in the chain to which this entry leads.
  public AuditHead head() {
    AuditHead known = head;
    if (known == null) {
      known = new AuditHead(number(), AuditHash.of(this));
      head = known;
    }
    return known;
  }

  /// What changed, for people.
  public String text() {
    return changes.stream().map(AuditChange::text).collect(joining("; "));
  }

  /// The hash is over every field.
  @Override
  public boolean equals(Object other) {
    return other instanceof AuditEntry that && head().equals(that.head());
  }

  @Override
  public int hashCode() {
    return head().hashCode();
  }

  @Override
  public String toString() {
    return "AuditEntry[" + number() + ", " + action + ", " + text() + "]";
  }
}
