package keyfleet.member;

import keyfleet.crypto.FieldLocation;
import keyfleet.member.MemberException.ContextMismatch;

/// Seals and opens one field of the records of a collection. A value is bound to its record, field,
/// collection and keyring, and opens nowhere else. For any number of threads.
///
/// A record of several sealed fields is better sealed as one, by a [RecordCipher].
public final class FieldCipher {
  private final RecordCipher records;
  private final String field;

  FieldCipher(RecordCipher records, String field) {
    this.records = records;
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
        records.keyring(), records.seal(records.permit(), records.place(id, field), value));
  }

  /// Opens also what is sealed under an older version, and while the store does not answer. The
  /// caller closes what it gets.
  public Plaintext open(String id, SealedValue sealed) {
    FieldLocation fieldLocation = records.place(id, field);
    if (!sealed.keyring().equals(records.keyring())) {
      throw new ContextMismatch(fieldLocation);
    }
    return records.open(fieldLocation, sealed.envelope());
  }

  public Plaintext open(String id, byte[] stored) {
    return open(id, sealed(id, stored));
  }

  /// The same value under the active version. Nobody sees it on the way.
  public SealedValue rewrap(String id, SealedValue sealed) {
    FieldLocation fieldLocation = records.place(id, field);
    if (!sealed.keyring().equals(records.keyring())) {
      throw new ContextMismatch(fieldLocation);
    }
    return new SealedValue(
        sealed.keyring(), records.rewrap(records.permit(), fieldLocation, sealed.envelope()));
  }

  public SealedValue rewrap(String id, byte[] stored) {
    return rewrap(id, sealed(id, stored));
  }

  private SealedValue sealed(String id, byte[] stored) {
    return SealedValue.parse(records.keyring(), stored)
        .orElseThrow(() -> new ContextMismatch(records.place(id, field)));
  }
}
