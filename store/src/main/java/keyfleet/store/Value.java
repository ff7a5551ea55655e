package keyfleet.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/// The bytes stored under a key. The limit is half of the default message size of NATS, which
/// closes the connection on a larger message; so a value over the limit cannot be constructed.
public final class Value {
  public static final int MAX_BYTES = 512 << 10;

  private final Bytes bytes;

  /// Cached, because several readers may share one value (of an in-memory store, for example): the
  /// first one parses it, unless the value was built from a document.
  private volatile @Nullable Document document;

  public Value(Bytes bytes) {
    if (bytes.length() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a value has at most " + MAX_BYTES + " bytes, not " + bytes.length());
    }
    this.bytes = bytes;
  }

  /// `document` must be what the bytes parse to.
  Value(Bytes bytes, Document document) {
    this(bytes);
    this.document = document;
  }

  public Bytes bytes() {
    return bytes;
  }

  /// Parses the bytes once.
  Document document() {
    Document known = document;
    if (known == null) {
      known = Document.parseBytes(bytes);
      document = known;
    }
    return known;
  }

  public static Value of(String text) {
    return new Value(Bytes.wrap(text.getBytes(UTF_8)));
  }

  public String text() {
    return new String(bytes.sharedArray(), UTF_8);
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
