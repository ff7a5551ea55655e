package keyfleet.mongodb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import keyfleet.crypto.Envelope;
import keyfleet.store.Bytes;
import org.bson.BsonBinarySubType;
import org.bson.Document;
import org.bson.types.Binary;
import org.jspecify.annotations.Nullable;

/// A sealed field as it is stored: `{kv: 3, ct: <envelope>}`. The server can read `kv` alone; every
/// judgement of ours is by the envelope.
record SealedSubdocument(@Nullable Object stored) {
  static final String VERSION = "kv";
  static final String ENVELOPE = "ct";

  /// Stands for a value that is no sealed field at all. It is no envelope, so it counts as
  /// unreadable, and no stored field equals it, so nothing changes it.
  private static final Bytes NOT_AN_ENVELOPE = Bytes.copyOf("not a sealed field".getBytes(UTF_8));

  static Document of(Bytes envelope) {
    Document stored = new Document();
    Envelope.parse(envelope.toArray())
        .ifPresent(it -> stored.append(VERSION, it.version().number()));
    return stored.append(ENVELOPE, new Binary(envelope.toArray()));
  }

  /// Nothing if the field is absent.
  Optional<Bytes> bytes() {
    return stored == null ? Optional.empty() : Optional.of(envelope().orElse(NOT_AN_ENVELOPE));
  }

  /// Whether `kv` says another version than the envelope.
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
