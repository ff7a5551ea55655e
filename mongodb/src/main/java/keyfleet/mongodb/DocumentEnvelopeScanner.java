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

/// Looks for envelopes in the documents of one collection, at any field and within others. A field
/// within another is named `outer.inner`, and what stands in a list `outer[]`.
final class DocumentEnvelopeScanner {
  /// Fields within fields; the server itself allows a hundred.
  static final int MAX_DEPTH = 10;

  private static final byte[] MAGIC = {(byte) 0xEB, 'K', 'F', 'E'};

  private final String collection;
  private final Set<String> declared;
  private final EnvelopeScanBuilder count;

  DocumentEnvelopeScanner(String collection, Set<String> declared, EnvelopeScanBuilder count) {
    this.collection = collection;
    this.declared = declared;
    this.count = count;
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
          count.skip(
              "fields of " + collection + " in more than " + MAX_DEPTH + " others", "a limit");
      case Document inner -> scanNested(path, inner, depth);
      case List<?> list -> list.forEach(it -> scan(path + "[]", it, depth + 1));
      case null, default -> {} // nothing that an envelope could be
    }
  }

  /// A field that was sealed by Keyfleet is named by itself, not by the part that has the bytes.
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
    count.addEnvelopes(collection, path, encoding, version, 1);
  }

  private static boolean isEnvelope(Binary bytes) {
    byte[] data = bytes.getData();
    return data.length >= MAGIC.length
        && Arrays.equals(data, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
  }
}
