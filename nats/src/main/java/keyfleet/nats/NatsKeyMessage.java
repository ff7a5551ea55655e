package keyfleet.nats;

import io.nats.client.Message;
import io.nats.client.api.MessageInfo;
import io.nats.client.impl.Headers;
import java.time.Instant;
import java.util.Set;
import keyfleet.store.Bytes;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import org.jspecify.annotations.Nullable;

/// The last message on a key's subject: a value, or a marker of a deleted key.
record NatsKeyMessage(Kind kind, Bytes bytes, Revision revision, StoreTime writtenAt) {
  enum Kind {
    VALUE,
    MARKER
  }

  static final String OPERATION = "KV-Operation";
  static final String DELETED = "DEL";

  /// Clients set the first one, the server the second.
  private static final Set<String> MARKER_HEADERS = Set.of(OPERATION, "Nats-Marker-Reason");

  static NatsKeyMessage of(MessageInfo message) {
    if (message.getTime() == null || message.getSeq() < 1) {
      throw new StoreException(
          "a message of stream " + message.getStream() + " has no sequence or no time");
    }
    byte[] data = message.getData();
    return new NatsKeyMessage(
        isMarker(message.getHeaders()) ? Kind.MARKER : Kind.VALUE,
        Bytes.copyOf(data == null ? new byte[0] : data),
        new Revision(message.getSeq()),
        new StoreTime(message.getTime().toInstant().toEpochMilli()));
  }

  /// From a message of a direct get; its headers contain the sequence and the time.
  static NatsKeyMessage of(Message message) {
    Headers headers = message.getHeaders();
    return new NatsKeyMessage(
        isMarker(headers) ? Kind.MARKER : Kind.VALUE,
        Bytes.copyOf(message.getData()),
        new Revision(Long.parseLong(headers.getFirst("Nats-Sequence"))),
        new StoreTime(Instant.parse(headers.getFirst("Nats-Time-Stamp")).toEpochMilli()));
  }

  Entry toEntry(Key key) {
    return new Entry(key, new Value(bytes), revision, writtenAt);
  }

  private static boolean isMarker(@Nullable Headers headers) {
    return headers != null && MARKER_HEADERS.stream().anyMatch(headers::containsKey);
  }
}
