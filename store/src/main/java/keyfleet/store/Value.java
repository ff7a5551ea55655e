package keyfleet.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The bytes stored under a key. The limit is half of the default message size of NATS, which
/// closes the connection on a larger message; so a value over the limit cannot be constructed.
public final class Value {
  public static final int MAX_BYTES = 512 << 10;

  /// Cached, because several readers may share one value (of an in-memory store, for example): the
  /// first one parses it, unless the value was built from a document.
  private volatile @Nullable Document document;

  private volatile @Nullable Bytes bytes;

  /// Decodes a value that an engine stores as a document in its own form; null for the others.
  private final @Nullable Supplier<Document> decoder;

  /// Whether the bytes are known to be the text of the document.
  private final boolean isTextOfDocument;

  private Value(
      @Nullable Bytes bytes,
      @Nullable Document document,
      @Nullable Supplier<Document> decoder,
      boolean isTextOfDocument) {
    this.bytes = bytes == null ? null : requireShort(bytes);
    this.document = document;
    this.decoder = decoder;
    this.isTextOfDocument = isTextOfDocument;
  }

  public Value(Bytes bytes) {
    this(bytes, null, null, false);
  }

  /// `document` must be what the bytes parse to, and they its text.
  Value(Bytes bytes, Document document) {
    this(bytes, document, null, true);
  }

  public static Value of(String text) {
    return new Value(Bytes.wrap(text.getBytes(UTF_8)));
  }

  /// For an engine that stores documents in its own form: the value of a document that is decoded
  /// when a caller first needs it. The decoder throws a [MalformedValueException] if it cannot.
  public static Value ofStored(Supplier<Document> decoder) {
    return new Value(null, null, decoder, true);
  }

  private static Bytes requireShort(Bytes bytes) {
    if (bytes.length() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a value has at most " + MAX_BYTES + " bytes, not " + bytes.length());
    }
    return bytes;
  }

  public Bytes bytes() {
    Bytes known = bytes;
    if (known == null) {
      known = document().toBytes();
      bytes = known;
    }
    return known;
  }

  /// The document whose text is exactly these bytes, which an engine may store in its own form;
  /// empty if the bytes are no document, or another text of one.
  public Optional<Document> exactDocument() {
    try {
      return isTextOfDocument || document().isWrittenAs(bytes())
          ? Optional.of(document())
          : Optional.empty();
    } catch (MalformedValueException e) {
      return Optional.empty();
    }
  }

  /// Whether the document can be had without parsing its text.
  boolean isDecoded() {
    return decoder != null;
  }

  /// Parses the bytes once.
  Document document() {
    Document known = document;
    if (known == null) {
      known = decoder == null ? Document.parseBytes(bytes()) : decoder.get();
      document = known;
    }
    return known;
  }

  public String text() {
    return new String(bytes().sharedArray(), UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Value that && bytes().equals(that.bytes());
  }

  @Override
  public int hashCode() {
    return bytes().hashCode();
  }

  @Override
  public String toString() {
    return "Value[" + bytes().length() + " bytes]";
  }
}
