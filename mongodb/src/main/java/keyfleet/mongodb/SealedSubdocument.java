package keyfleet.mongodb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import keyfleet.crypto.Envelope;
import keyfleet.store.Bytes;
import org.bson.BsonBinarySubType;
import org.bson.Document;
import org.bson.types.Binary;
import org.jspecify.annotations.Nullable;

/// A sealed field as it is stored: `{kv: 3, ct: <envelope>}`. The server can read only `kv`;
/// Keyfleet decides by the envelope.
record SealedSubdocument(@Nullable Object stored) {
  static final String VERSION = "kv";
  static final String ENVELOPE = "ct";

  /// Represents a value that is not a sealed field. It is not an envelope, so it counts as
  /// unreadable; no stored field equals it, so no change matches it.
  private static final Bytes NOT_AN_ENVELOPE = Bytes.copyOf("not a sealed field".getBytes(UTF_8));

  static Document of(Bytes envelope) {
    Document stored = new Document();
    Envelope.parse(envelope.toArray())
        .ifPresent(it -> stored.append(VERSION, it.version().number()));
    return stored.append(ENVELOPE, new Binary(envelope.toArray()));
  }

  /// Empty if the field is absent.
  Optional<Bytes> bytes() {
    return stored == null ? Optional.empty() : Optional.of(envelope().orElse(NOT_AN_ENVELOPE));
  }

  /// Whether `kv` differs from the version of the envelope.
  boolean isMislabelled() {
    Optional<Integer> innerVersion =
        envelope().flatMap(it -> Envelope.parse(it.toArray())).map(it -> it.version().number());
    return innerVersion.isPresent()
        && !(stored instanceof Document field
            && field.get(VERSION) instanceof Number label
            && label.doubleValue() == innerVersion.get());
  }

  private Optional<Bytes> envelope() {
    return stored instanceof Document field
            && field.get(ENVELOPE) instanceof Binary binary
            && binary.getType() == BsonBinarySubType.BINARY.getValue()
        ? Optional.of(Bytes.copyOf(binary.getData()))
        : Optional.empty();
  }
}
