package keyfleet.control;

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
final class Mover {
  sealed interface Moving {}

  record Moved(RecordChange recordChange) implements Moving {}

  /// Every field is under the target already.
  record InPlace() implements Moving {}

  record Stuck(String reason) implements Moving {}

  private sealed interface Field {}

  private record Good(Bytes bytes) implements Field {}

  private record Bad(String reason) implements Field {}

  private final EnvelopeCipher cipher;
  private final RotationJob rotationJob;

  Mover(EnvelopeCipher cipher, RotationJob rotationJob) {
    this.cipher = cipher;
    this.rotationJob = rotationJob;
  }

  /// One bad field keeps the whole record where it is: its fields change together.
  Moving move(String collection, StoredRecord record) {
    SortedMap<String, Bytes> moved = new TreeMap<>();
    for (var field : record.fields().byName().entrySet()) {
      FieldLocation fieldLocation =
          new FieldLocation(collection, record.id().value(), field.getKey());
      switch (moved(fieldLocation, field.getValue())) {
        case Good(Bytes bytes) -> moved.put(field.getKey(), bytes);
        case Bad(String reason) -> {
          return new Stuck("field " + field.getKey() + ": " + reason);
        }
      }
    }
    SealedFields after = new SealedFields(moved);
    return after.equals(record.fields())
        ? new InPlace()
        : new Moved(new RecordChange(record, after));
  }

  private Field moved(FieldLocation fieldLocation, Bytes bytes) {
    Optional<Envelope> parsed = Envelope.parse(bytes.toArray());
    if (parsed.isEmpty()) {
      return new Bad("it is no envelope");
    }
    Envelope envelope = parsed.get();
    if (envelope.version().equals(rotationJob.to())) {
      return new Good(bytes);
    }
    return rotationJob.kind() == RotationJob.Kind.REVOCATION
        ? resealed(fieldLocation, envelope)
        : rewrapped(fieldLocation, envelope);
  }

  private Field rewrapped(FieldLocation fieldLocation, Envelope envelope) {
    return switch (cipher.rewrap(fieldLocation, envelope, rotationJob.to())) {
      case Rewrapped(Envelope moved) -> good(moved);
      case NoSuchVersion(KekVersion version) -> missing(version);
      case Refused _ -> new Bad(Refused.MESSAGE);
    };
  }

  /// A new data key: whoever holds the old KEK and an old backup has the former one.
  private Field resealed(FieldLocation fieldLocation, Envelope envelope) {
    return switch (cipher.open(fieldLocation, envelope)) {
      case Opened(SecretBytes plaintext, _) -> {
        try (plaintext) {
          yield sealed(fieldLocation, plaintext);
        }
      }
      case NoSuchVersion(KekVersion version) -> missing(version);
      case Refused _ -> new Bad(Refused.MESSAGE);
    };
  }

  /// Opened again before it may replace the only copy.
  private Field sealed(FieldLocation fieldLocation, SecretBytes plaintext) {
    return switch (cipher.seal(rotationJob.to(), fieldLocation, plaintext)) {
      case Sealed(Envelope envelope) ->
          opens(fieldLocation, envelope, plaintext)
              ? good(envelope)
              : new Bad(rotationJob.to() + " does not open what it has just sealed");
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

  private static Field good(Envelope envelope) {
    return new Good(Bytes.copyOf(envelope.toBytes()));
  }

  private static Field missing(KekVersion version) {
    return new Bad("this process does not hold " + version);
  }
}
