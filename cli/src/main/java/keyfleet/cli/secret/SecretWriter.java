package keyfleet.cli.secret;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.output.CommandException;
import keyfleet.control.rotation.ConflictRetry;
import keyfleet.control.rotation.SecretAuditWriter;
import keyfleet.control.rotation.SecretAuditWriter.PutIntent;
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

  private static final String RETRY = "run the same command again, with the same input";

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
    this.retry = session.conflictRetry();
  }

  /// Throws unless the secret is certainly stored.
  StoredSecret put(SecretName name, SecretBytes value) {
    return retry
        .run(() -> tryPut(name, value))
        .orElseThrow(() ->
            CommandException.conflict(
                "other writers kept changing %s for %d seconds"
                    .formatted(name, ConflictRetry.TIME_LIMIT.toSeconds()),
                RETRY));
  }

  /// Puts several secrets with one audit entry for all, which is much faster than one each. Each
  /// line gets its result, unless an exception ends the whole call.
  void putAll(
      List<SecretLine> lines,
      BiConsumer<SecretLine, StoredSecret> whenStored,
      BiConsumer<SecretLine, String> whenFailed) {
    List<PutIntent> intents = new ArrayList<>();
    List<Optional<StoredRecord>> befores = new ArrayList<>();
    for (SecretLine line : lines) {
      Envelope after = sealer.seal(SecretCollection.fieldLocation(line.name()), line.value());
      Optional<StoredRecord> before = collection.read(line.name());
      befores.add(before);
      Envelope held = SecretCollection.parseEnvelope(before.orElse(null)).orElse(null);
      intents.add(new PutIntent(line.name().value(), held, after));
    }
    SecretCollection.requireAudited(session.keyring(), auditWriter.writePutIntents(intents));
    for (int i = 0; i < lines.size(); i++) {
      SecretLine line = lines.get(i);
      try {
        whenStored.accept(line, write(line, befores.get(i).orElse(null), intents.get(i).after()));
      } catch (CommandException e) {
        whenFailed.accept(line, e.getMessage());
      }
    }
  }

  /// If another writer was faster, the secret is put again by itself.
  private StoredSecret write(SecretLine line, @Nullable StoredRecord before, Envelope envelope) {
    return write(line.name(), before, envelope)
        ? new StoredSecret(envelope.version(), before == null)
        : put(line.name(), line.value());
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
      case Unknown() -> isStored(name, envelope);
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

  /// Sealing is random, so a record with the same sealed data was written by this command. A
  /// rotation may have rewrapped the record by now, which leaves the data as they are.
  private boolean isStored(SecretName name, Envelope envelope) {
    boolean isFound =
        SecretCollection.parseEnvelope(collection.read(name).orElse(null))
            .filter(it -> it.dataDigest().equals(envelope.dataDigest()))
            .isPresent();
    if (isFound) {
      return true;
    }
    throw new CommandException(
        "the store did not answer in time: " + name + " may or may not be stored", RETRY);
  }
}
