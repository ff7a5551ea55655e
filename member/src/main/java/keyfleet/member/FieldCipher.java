package keyfleet.member;

import keyfleet.crypto.FieldLocation;
import keyfleet.member.MemberException.ContextMismatch;

/// Seals and opens one field of the records of a collection. A value is bound to its record, field,
/// collection and keyring, and opens nowhere else. For any number of threads.
///
/// A record of several sealed fields is better sealed as one, by a [RecordCipher].
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

  /// Under the active version. The caller closes `value`.
  public SealedValue seal(String id, Plaintext value) {
    return new SealedValue(
        recordCipher.keyring(),
        recordCipher.seal(recordCipher.acquirePermit(), recordCipher.location(id, field), value));
  }

  /// Opens also what is sealed under an older version, and while the store does not answer. The
  /// caller closes what it gets.
  public Plaintext open(String id, SealedValue sealed) {
    FieldLocation fieldLocation = recordCipher.location(id, field);
    if (!sealed.keyring().equals(recordCipher.keyring())) {
      throw new ContextMismatch(fieldLocation);
    }
    return recordCipher.open(fieldLocation, sealed.envelope());
  }

  public Plaintext open(String id, byte[] stored) {
    return open(id, parseSealed(id, stored));
  }

  /// The same value under the active version. Nobody sees it on the way.
  public SealedValue rewrap(String id, SealedValue sealed) {
    FieldLocation fieldLocation = recordCipher.location(id, field);
    if (!sealed.keyring().equals(recordCipher.keyring())) {
      throw new ContextMismatch(fieldLocation);
    }
    return new SealedValue(
        sealed.keyring(),
        recordCipher.rewrap(recordCipher.acquirePermit(), fieldLocation, sealed.envelope()));
  }

  public SealedValue rewrap(String id, byte[] stored) {
    return rewrap(id, parseSealed(id, stored));
  }

  private SealedValue parseSealed(String id, byte[] stored) {
    return SealedValue.parse(recordCipher.keyring(), stored)
        .orElseThrow(() -> new ContextMismatch(recordCipher.location(id, field)));
  }
}
