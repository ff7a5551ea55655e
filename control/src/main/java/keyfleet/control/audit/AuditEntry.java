package keyfleet.control.audit;

import static java.util.stream.Collectors.joining;

import java.util.List;
import keyfleet.crypto.KeyringName;
import org.jspecify.annotations.Nullable;

/// One audited change. An entry names the entry before it in its chain, so its hash covers the
/// chain up to it.
public final class AuditEntry {
  private final KeyringName keyring;
  private final AuditLink link;
  private final AuditAction action;
  private final List<AuditChange> changes;
  private final String nonce;

  /// Computed once: each verification needs it, sometimes twice. Two threads may compute the same
  /// value.
  private volatile @Nullable AuditHead head;

  public AuditEntry(
      KeyringName keyring,
      AuditLink link,
      AuditAction action,
      List<AuditChange> changes,
      String nonce) {
    this.keyring = keyring;
    this.link = link;
    this.action = action;
    this.changes = List.copyOf(changes);
    this.nonce = nonce;
  }

  public KeyringName keyring() {
    return keyring;
  }

  public AuditLink link() {
    return link;
  }

  AuditHead previous() {
    return link.previous();
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
    return link.previous().number() + 1;
  }

  /// The name of the entry, for people and for `--before`: the number of a keystore's entry, or
  /// `AFTER.WRITER.NUMBER`, where `AFTER` is the keystore's entry that the writer had read.
  public String id() {
    return link.isOfKeystore()
        ? Long.toString(number())
        : link.keystoreHead().number() + "." + link.chain() + "." + number();
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
    return "AuditEntry[" + id() + ", " + action + ", " + text() + "]";
  }
}
