package keyfleet.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/// What stands under a key. The limit is half of what NATS carries in a message by default, and
/// beyond that it closes the connection; so a value too long is never made.
public final class Value {
  public static final int MAX_BYTES = 512 << 10;

  private final Bytes bytes;

  /// Many readers may be given one value, by a store in memory say: the first one parses it, unless
  /// it was made of a document here.
  private volatile @Nullable Document document;

  public Value(Bytes bytes) {
    if (bytes.length() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a value has at most " + MAX_BYTES + " bytes, not " + bytes.length());
    }
    this.bytes = bytes;
  }

  /// `document` is what the bytes spell.
  Value(Bytes bytes, Document document) {
    this(bytes);
    this.document = document;
  }

  public Bytes bytes() {
    return bytes;
  }

  /// What [Document#parse] made of it.
  Document document() {
    Document known = document;
    if (known == null) {
      known = Document.parsed(bytes);
      document = known;
    }
    return known;
  }

  public static Value of(String text) {
    return new Value(Bytes.owning(text.getBytes(UTF_8)));
  }

  public String text() {
    return new String(bytes.shared(), UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Value that && bytes.equals(that.bytes);
  }

  @Override
  public int hashCode() {
    return bytes.hashCode();
  }

  @Override
  public String toString() {
    return "Value[" + bytes.length() + " bytes]";
  }
}
