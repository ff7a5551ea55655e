package keyfleet.control.rotation;

import java.util.List;
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

  /// A value that is about to be put.
  ///
  /// @param before the envelope that is stored; null for none, and for a value that is no envelope
  public record PutIntent(String name, @Nullable Envelope before, Envelope after) {
    private AuditChange toChange() {
      return AuditChange.ofSecretIntent(name, digest(before), after.dataDigest());
    }
  }

  /// One entry for all of them.
  public Result writePutIntents(List<PutIntent> intents) {
    String summary =
        intents.size() == 1
            ? "put secret " + intents.getFirst().name()
            : "put %d secrets".formatted(intents.size());
    return operations.writeIntent(summary, intents.stream().map(PutIntent::toChange).toList());
  }

  public Result writePutIntent(String name, @Nullable Envelope before, Envelope after) {
    return writePutIntents(List.of(new PutIntent(name, before, after)));
  }

  public Result writeDeleteIntent(String name, @Nullable Envelope before) {
    return operations.writeIntent(
        "delete secret " + name, List.of(AuditChange.ofSecretIntent(name, digest(before), "")));
  }

  /// Empty for no value, and for a value that is not an envelope.
  private static String digest(@Nullable Envelope envelope) {
    return envelope == null ? "" : envelope.dataDigest();
  }
}
