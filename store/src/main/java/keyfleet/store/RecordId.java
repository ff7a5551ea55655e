package keyfleet.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import keyfleet.crypto.StrictText;

/// The id of a record within its collection, as text.
public record RecordId(String value) {
  /// As in the place that is bound into an envelope.
  public static final int MAX_BYTES = 1024;

  public RecordId {
    int length = value.getBytes(UTF_8).length;
    if (length < 1 || length > MAX_BYTES || StrictText.utf8(value).isEmpty()) {
      throw new IllegalArgumentException(
          "a record's id is well-formed text of 1 to " + MAX_BYTES + " bytes, this has " + length);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
