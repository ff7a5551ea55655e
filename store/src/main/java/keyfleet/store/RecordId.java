package keyfleet.store;

import keyfleet.crypto.StrictUtf8;

/// The id of a record within its collection, as text.
public record RecordId(String value) {
  /// The same limit as for the record id that is bound into an envelope.
  public static final int MAX_BYTES = 1024;

  public RecordId {
    int length = StrictUtf8.encodedLength(value);
    if (length < 1 || length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a record id is well-formed text of 1 to " + MAX_BYTES + " bytes");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
