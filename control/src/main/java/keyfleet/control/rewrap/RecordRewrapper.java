package keyfleet.control.rewrap;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyfleetException;
import keyfleet.crypto.NoSuchVersion;
import keyfleet.crypto.OpenResult;
import keyfleet.crypto.OpenResult.Opened;
import keyfleet.crypto.Refused;
import keyfleet.crypto.RewrapResult.Rewrapped;
import keyfleet.crypto.SealResult.Sealed;
import keyfleet.crypto.SecretBytes;
import keyfleet.keyring.RotationJob;
import keyfleet.store.Bytes;
import keyfleet.store.RecordChange;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;

/// Rewraps the sealed fields of a record under the target version of a rotation. It writes nothing.
public final class RecordRewrapper {
  sealed interface Result {}

  record Changed(RecordChange recordChange) implements Result {}

  /// Each field is already under the target version.
  record UpToDate() implements Result {}

  record Failed(String reason) implements Result {}

  private sealed interface FieldResult {}

  private record NewField(Bytes bytes) implements FieldResult {}

  private record FieldFailure(String reason) implements FieldResult {}

  private final EnvelopeCipher cipher;
  private final RotationJob job;

  public RecordRewrapper(EnvelopeCipher cipher, RotationJob job) {
    this.cipher = cipher;
    this.job = job;
  }

  /// If one field fails, the record stays as it is: its fields change together. Also an unexpected
  /// exception fails only this record. Its message may quote a value, so the reason has its type.
  /// The exceptions of a key provider that does not answer are not about the record.
  Result rewrap(String collection, StoredRecord record) {
    try {
      return rewrapFields(collection, record);
    } catch (KeyfleetException e) {
      throw e;
    } catch (RuntimeException e) {
      return new Failed("unexpected " + e.getClass().getSimpleName() + ", which is a bug");
    }
  }

  private Result rewrapFields(String collection, StoredRecord record) {
    SortedMap<String, Bytes> rewrapped = new TreeMap<>();
    for (var field : record.fields().byName().entrySet()) {
      FieldLocation location = new FieldLocation(collection, record.id().value(), field.getKey());
      switch (rewrapField(location, field.getValue())) {
        case NewField(Bytes bytes) -> rewrapped.put(field.getKey(), bytes);
        case FieldFailure(String reason) -> {
          return new Failed("field " + field.getKey() + ": " + reason);
        }
      }
    }
    SealedFields newFields = new SealedFields(rewrapped);
    return newFields.equals(record.fields())
        ? new UpToDate()
        : new Changed(new RecordChange(record, newFields));
  }

  private FieldResult rewrapField(FieldLocation location, Bytes bytes) {
    Optional<Envelope> parsed = Envelope.parse(bytes.toArray());
    if (parsed.isEmpty()) {
      return new FieldFailure("the value is not an envelope");
    }
    Envelope envelope = parsed.get();
    if (envelope.version().equals(job.to())) {
      return new NewField(bytes);
    }
    return job.kind() == RotationJob.Kind.REVOCATION
        ? reseal(location, envelope)
        : rewrapEnvelope(location, envelope);
  }

  private FieldResult rewrapEnvelope(FieldLocation location, Envelope envelope) {
    return switch (cipher.rewrap(location, envelope, job.to())) {
      case Rewrapped(Envelope rewrapped) -> newField(rewrapped);
      case NoSuchVersion(KekVersion version) -> missingVersion(version);
      case Refused _ -> new FieldFailure(Refused.MESSAGE);
    };
  }

  /// Seals under a new data key: a person with the compromised KEK and an old backup has the old
  /// data key.
  private FieldResult reseal(FieldLocation location, Envelope envelope) {
    return switch (cipher.open(location, envelope)) {
      case Opened(SecretBytes plaintext, _) -> {
        try (plaintext) {
          yield seal(location, plaintext);
        }
      }
      case NoSuchVersion(KekVersion version) -> missingVersion(version);
      case Refused _ -> new FieldFailure(Refused.MESSAGE);
    };
  }

  /// Opens the new envelope before it replaces the only copy.
  private FieldResult seal(FieldLocation location, SecretBytes plaintext) {
    return switch (cipher.seal(job.to(), location, plaintext)) {
      case Sealed(Envelope envelope) ->
          canOpen(location, envelope, plaintext)
              ? newField(envelope)
              : new FieldFailure(job.to() + " cannot open the value that it has just sealed");
      case NoSuchVersion(KekVersion version) -> missingVersion(version);
    };
  }

  private boolean canOpen(FieldLocation location, Envelope envelope, SecretBytes expected) {
    OpenResult openResult = cipher.open(location, envelope);
    if (!(openResult instanceof Opened(SecretBytes plaintext, _))) {
      return false;
    }
    try (plaintext) {
      return plaintext.equals(expected);
    }
  }

  private static FieldResult newField(Envelope envelope) {
    return new NewField(Bytes.copyOf(envelope.toBytes()));
  }

  /// Without a version of its own job, this process is at fault and not the record.
  private FieldResult missingVersion(KekVersion version) {
    if (version.equals(job.to()) || version.equals(job.from())) {
      throw new KekUnavailableException(version + " is not loaded in this process");
    }
    return new FieldFailure(version + " is not loaded in this process");
  }
}
