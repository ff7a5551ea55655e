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
  Result move(String collection, StoredRecord record) {
    SortedMap<String, Bytes> moved = new TreeMap<>();
    for (var field : record.fields().byName().entrySet()) {
      FieldLocation fieldLocation =
          new FieldLocation(collection, record.id().value(), field.getKey());
      switch (moved(fieldLocation, field.getValue())) {
        case NewField(Bytes bytes) -> moved.put(field.getKey(), bytes);
        case FieldFailure(String reason) -> {
          return new Failed("field " + field.getKey() + ": " + reason);
        }
      }
    }
    SealedFields after = new SealedFields(moved);
    return after.equals(record.fields())
        ? new UpToDate()
        : new Changed(new RecordChange(record, after));
  }

  private FieldResult moved(FieldLocation fieldLocation, Bytes bytes) {
    Optional<Envelope> parsed = Envelope.parse(bytes.toArray());
    if (parsed.isEmpty()) {
      return new FieldFailure("it is no envelope");
    }
    Envelope envelope = parsed.get();
    if (envelope.version().equals(rotationJob.to())) {
      return new NewField(bytes);
    }
    return rotationJob.kind() == RotationJob.Kind.REVOCATION
        ? resealed(fieldLocation, envelope)
        : rewrapped(fieldLocation, envelope);
  }

  private FieldResult rewrapped(FieldLocation fieldLocation, Envelope envelope) {
    return switch (cipher.rewrap(fieldLocation, envelope, rotationJob.to())) {
      case Rewrapped(Envelope moved) -> good(moved);
      case NoSuchVersion(KekVersion version) -> missing(version);
      case Refused _ -> new FieldFailure(Refused.MESSAGE);
    };
  }

  /// A new data key: whoever holds the old KEK and an old backup has the former one.
  private FieldResult resealed(FieldLocation fieldLocation, Envelope envelope) {
    return switch (cipher.open(fieldLocation, envelope)) {
      case Opened(SecretBytes plaintext, _) -> {
        try (plaintext) {
          yield sealed(fieldLocation, plaintext);
        }
      }
      case NoSuchVersion(KekVersion version) -> missing(version);
      case Refused _ -> new FieldFailure(Refused.MESSAGE);
    };
  }

  /// Opened again before it may replace the only copy.
  private FieldResult sealed(FieldLocation fieldLocation, SecretBytes plaintext) {
    return switch (cipher.seal(rotationJob.to(), fieldLocation, plaintext)) {
      case Sealed(Envelope envelope) ->
          opens(fieldLocation, envelope, plaintext)
              ? good(envelope)
              : new FieldFailure(rotationJob.to() + " does not open what it has just sealed");
      case NoSuchVersion(KekVersion version) -> missing(version);
    };
  }

  private boolean opens(FieldLocation fieldLocation, Envelope envelope, SecretBytes expected) {
    OpenResult openResult = cipher.open(fieldLocation, envelope);
    if (!(openResult instanceof Opened(SecretBytes plaintext, _))) {
      return false;
    }
    try (plaintext) {
      return plaintext.equals(expected);
    }
  }

  private static FieldResult good(Envelope envelope) {
    return new NewField(Bytes.copyOf(envelope.toBytes()));
  }

  private static FieldResult missing(KekVersion version) {
    return new FieldFailure("this process does not hold " + version);
  }
}
