package keyfleet.control.rotation;

import keyfleet.control.audit.AuditChange;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.crypto.Envelope;
import org.jspecify.annotations.Nullable;

/// Audits a change of a secret before it is made (ADR 12). If the result is not `Done`, the caller
/// must not make the change.
///
/// The entry identifies the secret's value by the digest of its sealed data, which a rotation does
/// not change. The next entry, or the record itself, shows whether the change was made.
public final class SecretAuditWriter {
  private final KeyringOperations operations;

  public SecretAuditWriter(KeyringOperations operations) {
    this.operations = operations;
  }

  public Result writePutIntent(String name, @Nullable Envelope before, Envelope after) {
    return operations.writeIntent(
        "put secret " + name, AuditChange.ofSecretIntent(name, digest(before), after.dataDigest()));
  }

  public Result writeDeleteIntent(String name, @Nullable Envelope before) {
    return operations.writeIntent(
        "delete secret " + name, AuditChange.ofSecretIntent(name, digest(before), ""));
  }

  /// Empty for no value, and for a value that is not an envelope.
  private static String digest(@Nullable Envelope envelope) {
    return envelope == null ? "" : envelope.dataDigest();
  }
}
