package keyfleet.control.rotation;

import keyfleet.control.audit.AuditChange;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.crypto.Envelope;
import org.jspecify.annotations.Nullable;

/// What somebody is about to do to a secret, put into the audit before it is done (ADR 12). Whoever
/// gets another answer than `Done` must not do it.
///
/// A secret is named by the digest of its sealed value, which a rotation does not change. So the
/// entry that follows, or the record itself, shows whether what was intended came to be.
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

  /// What is there and is no envelope has no digest either.
  private static String digest(@Nullable Envelope envelope) {
    return envelope == null ? "" : envelope.dataDigest();
  }
}
