package keyfleet.mongodb;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import keyfleet.store.engine.Base64Envelope;
import keyfleet.store.engine.EnvelopeScan.Encoding;
import keyfleet.store.engine.EnvelopeScanBuilder;
import org.bson.Document;
import org.bson.types.Binary;
import org.jspecify.annotations.Nullable;

/// Looks for envelopes in the documents of one collection, in all fields and nested fields. A
/// nested field is named `outer.inner`, an item of a list `outer[]`.
final class DocumentEnvelopeScanner {
  /// Levels of nested fields; the server itself allows a hundred.
  static final int MAX_DEPTH = 10;

  private static final byte[] MAGIC = {(byte) 0xEB, 'K', 'F', 'E'};

  private final String collection;
  private final Set<String> declared;
  private final EnvelopeScanBuilder result;

  DocumentEnvelopeScanner(String collection, Set<String> declared, EnvelopeScanBuilder result) {
    this.collection = collection;
    this.declared = declared;
    this.result = result;
  }

  void scan(Document document) {
    for (Map.Entry<String, Object> field : document.entrySet()) {
      if (!declared.contains(field.getKey())) {
        scan(field.getKey(), field.getValue(), 1);
      }
    }
  }

  private void scan(String path, @Nullable Object value, int depth) {
    switch (value) {
      case Binary bytes when isEnvelope(bytes) -> countEnvelope(path, bytes);
      case String text when text.startsWith(Base64Envelope.PREFIX) ->
          countEnvelope(path, Encoding.BASE64, Base64Envelope.version(text).orElse(null));
      case Document _, List<?> _ when depth == MAX_DEPTH ->
          result.skip(
              "fields of %s nested more than %d deep".formatted(collection, MAX_DEPTH),
              "a limit of the scan");
      case Document inner -> scanNested(path, inner, depth);
      case List<?> list -> list.forEach(it -> scan(path + "[]", it, depth + 1));
      case null, default -> {} // cannot hold an envelope
    }
  }

  /// A field that Keyfleet sealed is named as a whole, not by the part that holds the bytes.
  private void scanNested(String path, Document inner, int depth) {
    boolean isSealed = inner.containsKey(SealedSubdocument.VERSION);
    inner.forEach((name, value) -> {
      boolean isEnvelopePart = isSealed && name.equals(SealedSubdocument.ENVELOPE);
      scan(isEnvelopePart ? path : path + "." + name, value, depth + 1);
    });
  }

  private void countEnvelope(String path, Binary bytes) {
    countEnvelope(
        path, Encoding.BYTES, Envelope.parse(bytes.getData()).map(Envelope::version).orElse(null));
  }

  private void countEnvelope(String path, Encoding encoding, @Nullable KekVersion version) {
    result.addEnvelopes(collection, path, encoding, version, 1);
  }

  private static boolean isEnvelope(Binary bytes) {
    byte[] data = bytes.getData();
    return data.length >= MAGIC.length
        && Arrays.equals(data, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
  }
}
