package keyfleet.member;

import keyfleet.crypto.FieldLocation;
import keyfleet.member.MemberException.ContextMismatch;

/// Seals and opens one field of the records of a collection. A value is bound to its record, field,
/// collection and keyring; it cannot be opened anywhere else. Safe for any number of threads.
///
/// Use a [RecordCipher] to seal several fields of a record together.
public final class FieldCipher {
  private final RecordCipher recordCipher;
  private final String field;

  FieldCipher(RecordCipher recordCipher, String field) {
    this.recordCipher = recordCipher;
    this.field = field;
  }

  public SealedValue seal(String id, String text) {
    try (Plaintext value = Plaintext.of(text)) {
      return seal(id, value);
    }
  }

  public SealedValue seal(String id, byte[] bytes) {
    try (Plaintext value = Plaintext.of(bytes)) {
      return seal(id, value);
    }
  }

  /// Seals under the active version. The caller closes `value`.
  public SealedValue seal(String id, Plaintext value) {
    return new SealedValue(
        recordCipher.keyring(),
        recordCipher.seal(recordCipher.acquirePermit(), recordCipher.location(id, field), value));
  }

  /// Also opens values under older versions, and works while the store does not answer. The caller
  /// closes the result.
  public Plaintext open(String id, SealedValue sealed) {
    FieldLocation location = recordCipher.location(id, field);
    if (!sealed.keyring().equals(recordCipher.keyring())) {
      throw new ContextMismatch(location);
    }
    return recordCipher.open(location, sealed.envelope());
  }

  public Plaintext open(String id, byte[] stored) {
    return open(id, parseSealed(id, stored));
  }

  /// Moves a value to the active version without opening it.
  public SealedValue rewrap(String id, SealedValue sealed) {
    FieldLocation location = recordCipher.location(id, field);
    if (!sealed.keyring().equals(recordCipher.keyring())) {
      throw new ContextMismatch(location);
    }
    return new SealedValue(
        sealed.keyring(),
        recordCipher.rewrap(recordCipher.acquirePermit(), location, sealed.envelope()));
  }

  public SealedValue rewrap(String id, byte[] stored) {
    return rewrap(id, parseSealed(id, stored));
  }

  private SealedValue parseSealed(String id, byte[] stored) {
    return SealedValue.parse(recordCipher.keyring(), stored)
        .orElseThrow(() -> new ContextMismatch(recordCipher.location(id, field)));
  }
}
