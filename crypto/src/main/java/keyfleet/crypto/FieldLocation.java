package keyfleet.crypto;

/// Where a sealed value lives. It is bound into the envelope, which therefore opens nowhere else.
public record FieldLocation(String collection, String recordId, String field) {
  static final int MAX_PART_BYTES = 1024;

  public FieldLocation {
    check(collection);
    check(recordId);
    check(field);
  }

  /// Strict: a lone surrogate would be written as `?`, and two places would share one encoding.
  private static void check(String part) {
    int length = StrictUtf8.encodedLength(part);
    if (length < 0) {
      throw new IllegalArgumentException("a part of a place is not well-formed text");
    }
    if (length < 1 || length > MAX_PART_BYTES) {
      throw new IllegalArgumentException(
          "a part of a place has 1 to " + MAX_PART_BYTES + " bytes, not " + length);
    }
  }
}
