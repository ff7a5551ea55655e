package keyfleet.crypto;

/// The place of a sealed value in a store. The envelope is bound to it and opens nowhere else.
public record FieldLocation(String collection, String recordId, String field) {
  static final int MAX_PART_BYTES = 1024;

  public FieldLocation {
    check(collection);
    check(recordId);
    check(field);
  }

  /// Rejects malformed text: a lone surrogate would be written as `?`, and two locations would
  /// share one encoding.
  private static void check(String part) {
    int length = StrictUtf8.encodedLength(part);
    if (length < 0) {
      throw new IllegalArgumentException(
          "a collection, record id or field is not well-formed text");
    }
    if (length < 1 || length > MAX_PART_BYTES) {
      throw new IllegalArgumentException(
          "a collection, record id or field has 1 to " + MAX_PART_BYTES + " bytes, not " + length);
    }
  }
}
