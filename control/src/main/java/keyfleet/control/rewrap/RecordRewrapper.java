package keyfleet.control.rewrap;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekVersion;
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

/// Makes, of a record's sealed fields, the same ones under the version that a rotation goes to. It
/// writes nothing.
public final class RecordRewrapper {
  sealed interface Result {}

  record Changed(RecordChange recordChange) implements Result {}

  /// Every field is under the target already.
  record UpToDate() implements Result {}

  record Failed(String reason) implements Result {}

  private sealed interface FieldResult {}

  private record NewField(Bytes bytes) implements FieldResult {}

  private record FieldFailure(String reason) implements FieldResult {}

  private final EnvelopeCipher cipher;
  private final RotationJob rotationJob;

  public RecordRewrapper(EnvelopeCipher cipher, RotationJob rotationJob) {
    this.cipher = cipher;
    this.rotationJob = rotationJob;
  }

  /// One bad field keeps the whole record where it is: its fields change together.
  Result rewrap(String collection, StoredRecord record) {
    SortedMap<String, Bytes> rewrapped = new TreeMap<>();
    for (var field : record.fields().byName().entrySet()) {
      FieldLocation fieldLocation =
          new FieldLocation(collection, record.id().value(), field.getKey());
      switch (rewrapField(fieldLocation, field.getValue())) {
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

  private FieldResult rewrapField(FieldLocation fieldLocation, Bytes bytes) {
    Optional<Envelope> parsed = Envelope.parse(bytes.toArray());
    if (parsed.isEmpty()) {
      return new FieldFailure("it is no envelope");
    }
    Envelope envelope = parsed.get();
    if (envelope.version().equals(rotationJob.to())) {
      return new NewField(bytes);
    }
    return rotationJob.kind() == RotationJob.Kind.REVOCATION
        ? reseal(fieldLocation, envelope)
        : rewrapEnvelope(fieldLocation, envelope);
  }

  private FieldResult rewrapEnvelope(FieldLocation fieldLocation, Envelope envelope) {
    return switch (cipher.rewrap(fieldLocation, envelope, rotationJob.to())) {
      case Rewrapped(Envelope rewrapped) -> newField(rewrapped);
      case NoSuchVersion(KekVersion version) -> missingVersion(version);
      case Refused _ -> new FieldFailure(Refused.MESSAGE);
    };
  }

  /// A new data key: whoever holds the old KEK and an old backup has the former one.
  private FieldResult reseal(FieldLocation fieldLocation, Envelope envelope) {
    return switch (cipher.open(fieldLocation, envelope)) {
      case Opened(SecretBytes plaintext, _) -> {
        try (plaintext) {
          yield seal(fieldLocation, plaintext);
        }
      }
      case NoSuchVersion(KekVersion version) -> missingVersion(version);
      case Refused _ -> new FieldFailure(Refused.MESSAGE);
    };
  }

  /// Opened again before it may replace the only copy.
  private FieldResult seal(FieldLocation fieldLocation, SecretBytes plaintext) {
    return switch (cipher.seal(rotationJob.to(), fieldLocation, plaintext)) {
      case Sealed(Envelope envelope) ->
          canOpen(fieldLocation, envelope, plaintext)
              ? newField(envelope)
              : new FieldFailure(rotationJob.to() + " does not open what it has just sealed");
      case NoSuchVersion(KekVersion version) -> missingVersion(version);
    };
  }

  private boolean canOpen(FieldLocation fieldLocation, Envelope envelope, SecretBytes expected) {
    OpenResult openResult = cipher.open(fieldLocation, envelope);
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

  private static FieldResult missingVersion(KekVersion version) {
    return new FieldFailure("this process does not hold " + version);
  }
}
