package keyfleet.control.audit;

import static java.util.stream.Collectors.joining;

import java.util.List;
import keyfleet.crypto.KeyringName;
import org.jspecify.annotations.Nullable;

/// One audited change of a keystore. An entry names the entry before it, so its hash covers the
/// chain up to it.
public final class AuditEntry {
  private final KeyringName keyring;
  private final AuditHead previous;
  private final AuditAction action;
  private final List<AuditChange> changes;
  private final String nonce;

  /// Computed once: each verification needs it, sometimes twice. Two threads may compute the same
  /// value.
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

  /// The head of the chain that ends with this entry.
  public AuditHead head() {
    AuditHead known = head;
    if (known == null) {
      known = new AuditHead(number(), AuditHash.of(this));
      head = known;
    }
    return known;
  }

  /// The changes, for people.
  public String text() {
    return changes.stream().map(AuditChange::text).collect(joining("; "));
  }

  /// Comparing the hashes is enough: they cover each field.
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
