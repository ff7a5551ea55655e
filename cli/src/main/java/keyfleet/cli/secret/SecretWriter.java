package keyfleet.cli.secret;

import java.util.Optional;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.control.rotation.SecretAuditWriter;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretBytes;
import keyfleet.store.Bytes;
import keyfleet.store.Conflict;
import keyfleet.store.Fence;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import org.jspecify.annotations.Nullable;

/// Puts secrets: seals, audits and writes each. Creates the collection if it does not exist.
final class SecretWriter {
  /// @param isNew false if an earlier value was replaced
  record StoredSecret(KekVersion version, boolean isNew) {}

  private final CommandSession session;
  private final SecretCollection collection;
  private final SecretSealer sealer;
  private final SecretAuditWriter auditWriter;
  private final ConflictRetry retry;

  SecretWriter(CommandSession session) {
    this.session = session;
    this.collection = SecretCollection.create(session);
    this.sealer = new SecretSealer(session, collection);
    this.auditWriter = session.secretAuditWriter();
    this.retry = new ConflictRetry(session.runtime());
  }

  /// Throws unless the secret is certainly stored.
  StoredSecret put(SecretName name, SecretBytes value) {
    return retry
        .run(() -> tryPut(name, value))
        .orElseThrow(() ->
            CommandException.conflict(
                "other writers kept changing %s for %d seconds"
                    .formatted(name, ConflictRetry.TIME_LIMIT.toSeconds()),
                retryCommand(name)));
  }

  /// Empty if another writer was faster. Each attempt seals again, so that it has an audit entry of
  /// its own.
  private Optional<StoredSecret> tryPut(SecretName name, SecretBytes value) {
    Envelope envelope = sealer.seal(SecretCollection.fieldLocation(name), value);
    StoredRecord before = collection.read(name).orElse(null);
    SecretCollection.requireAudited(
        session.keyring(),
        auditWriter.writePutIntent(
            name.value(), SecretCollection.parseEnvelope(before).orElse(null), envelope));
    return write(name, before, envelope)
        ? Optional.of(new StoredSecret(envelope.version(), before == null))
        : Optional.empty();
  }

  /// Returns false if another writer was faster or the fence moved.
  boolean write(SecretName name, @Nullable StoredRecord before, Envelope envelope) {
    SealedFields fields = SecretCollection.sealedFields(Bytes.copyOf(envelope.toBytes()));
    RecordWriteResult write =
        before == null
            ? collection.records().insert(new StoredRecord(SecretCollection.recordId(name), fields))
            : collection.records().compareAndSet(new RecordChange(before, fields));
    return switch (write) {
      case RecordWriteResult.Stored() -> true;
      case Conflict() -> false;
      case RecordWriteResult.Fenced(Fence by) -> checkFence(by, envelope.version());
      case Unknown() -> isStored(name, fields);
    };
  }

  /// Returns false if a rotation has fenced the version since this value was sealed: the next
  /// attempt seals under the new version. Throws if the fence admits the version but refuses the
  /// record.
  private static boolean checkFence(Fence by, KekVersion version) {
    if (by.writable().contains(version)) {
      throw CommandException.conditionNotMet(
          "the store refuses the record, although its fence admits " + version,
          "keyfleet kek inventory");
    }
    return false;
  }

  /// Sealing is random, so a record with the same bytes was written by this command.
  private boolean isStored(SecretName name, SealedFields fields) {
    if (collection.read(name).filter(it -> it.fields().equals(fields)).isPresent()) {
      return true;
    }
    throw new CommandException(
        "the store did not answer in time: " + name + " may or may not be stored",
        retryCommand(name));
  }

  private String retryCommand(SecretName name) {
    return "keyfleet secret put " + name + KeyOptions.keyringFlag(session.keyring()) + " < FILE";
  }
}
