package keyfleet.nats;

import static keyfleet.nats.NatsKeyMessage.DELETED;
import static keyfleet.nats.NatsKeyMessage.OPERATION;

import io.nats.client.Message;
import io.nats.client.api.ApiResponse;
import io.nats.client.impl.Headers;
import io.nats.client.support.JsonValueUtils;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Function;
import keyfleet.nats.NatsKeyMessage.Kind;
import keyfleet.nats.NatsKeyState.Absent;
import keyfleet.nats.NatsKeyState.Present;
import keyfleet.nats.NatsReply.Answered;
import keyfleet.nats.NatsReply.TimedOut;
import keyfleet.nats.NatsReply.Undelivered;
import keyfleet.store.Bucket;
import keyfleet.store.Bytes;
import keyfleet.store.Conflict;
import keyfleet.store.Key;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.Unknown;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;

/// Writes one key. The leader compares the key's last sequence with the expected one, and accepts
/// one of the writes that expect the same.
///
/// A lost race is not a conflict yet: the leader also reports one while another write is in flight,
/// which may still fail. So the writer reads the key again, and decides by its state.
final class NatsKeyWriter {
  /// The message to send, without the expected sequence.
  record OutgoingMessage(NatsStream stream, Key key, Kind kind, Bytes bytes) {}

  /// The sequence that the write must follow; empty if the key's state rules the write out.
  private interface Expectation extends Function<NatsKeyState, OptionalLong> {}

  /// Over a second with the pauses: longer than a write is in flight in a healthy cluster.
  private static final int TRIES = 40;

  private static final int MAX_PAUSE_MILLIS = 50;

  private final NatsConnection connection;
  private final NatsKeyReader reader;

  NatsKeyWriter(NatsConnection connection, NatsKeyReader reader) {
    this.connection = connection;
    this.reader = reader;
  }

  /// Writes whatever the key's state is.
  WriteResult put(OutgoingMessage outgoing) {
    return toWriteResult(outgoing, send(outgoing, headers(outgoing)));
  }

  WriteResult create(OutgoingMessage outgoing) {
    Expectation free =
        state ->
            state instanceof Absent(var sequence)
                ? OptionalLong.of(sequence)
                : OptionalLong.empty();
    return sendExpecting(outgoing, free, 0);
  }

  WriteResult replace(OutgoingMessage outgoing, Revision expected) {
    Expectation same =
        state ->
            state instanceof Present(var stored) && stored.revision().equals(expected)
                ? OptionalLong.of(expected.number())
                : OptionalLong.empty();
    // The server treats an expired value as present until it sweeps it.
    boolean mayHaveExpired = outgoing.stream().bucket() instanceof Bucket.Expiring;
    return mayHaveExpired && expectedSequence(outgoing, same).isEmpty()
        ? new Conflict()
        : sendExpecting(outgoing, same, expected.number());
  }

  private WriteResult sendExpecting(OutgoingMessage outgoing, Expectation expectation, long first) {
    long last = first;
    for (int i = 0; i < TRIES; i++) {
      Headers headers =
          headers(outgoing).put("Nats-Expected-Last-Subject-Sequence", Long.toString(last));
      WriteResult result = toWriteResult(outgoing, send(outgoing, headers));
      if (!(result instanceof Conflict)) {
        return result;
      }
      pauseAfter(i);
      OptionalLong next = expectedSequence(outgoing, expectation);
      if (next.isEmpty()) {
        return new Conflict();
      }
      last = next.getAsLong();
    }
    throw new StoreException(
        "key %s was not written: other writers changed it in each of %d tries"
            .formatted(outgoing.key(), TRIES));
  }

  private OptionalLong expectedSequence(OutgoingMessage outgoing, Expectation expectation) {
    return expectation.apply(reader.read(outgoing.stream(), outgoing.key()));
  }

  private void pauseAfter(int tries) {
    if (tries > 0) {
      connection.executors().pause(Duration.ofMillis(Math.min(1L << tries, MAX_PAUSE_MILLIS)));
    }
  }

  private NatsReply send(OutgoingMessage outgoing, Headers headers) {
    return connection.request(
        outgoing.stream().subject(outgoing.key()), headers, outgoing.bytes().toArray());
  }

  private static Headers headers(OutgoingMessage outgoing) {
    Headers headers = new Headers().put("Nats-Expected-Stream", outgoing.stream().name());
    if (outgoing.kind() == Kind.MARKER) {
      headers.put(OPERATION, DELETED);
      if (outgoing.stream().bucket() instanceof Bucket.Lasting) {
        headers.put("Nats-TTL", NatsStream.MARKER_LIFETIME.toSeconds() + "s");
      }
    }
    return headers;
  }

  private static WriteResult toWriteResult(OutgoingMessage outgoing, NatsReply reply) {
    return switch (reply) {
      case Answered(var message) -> readAcknowledgement(outgoing, message);
      case Undelivered undelivered -> throw new StoreException(undelivered.reason());
      case TimedOut _ -> new Unknown();
    };
  }

  /// An unreadable reply proves nothing, so the outcome is unknown.
  private static WriteResult readAcknowledgement(OutgoingMessage outgoing, Message message) {
    Acknowledgement reply = new Acknowledgement(message);
    if (NatsErrors.isLostRace(reply)) {
      return new Conflict();
    }
    if (NatsErrors.isRejected(reply)) {
      throw NatsErrors.toStoreException("key " + outgoing.key() + " was not written", reply);
    }
    return reply.isFrom(outgoing.stream())
        ? new Written(new Revision(reply.sequence()))
        : new Unknown();
  }

  private static final class Acknowledgement extends ApiResponse<Acknowledgement> {
    Acknowledgement(Message message) {
      super(message);
    }

    boolean isFrom(NatsStream stream) {
      return !hasError()
          && stream.name().equals(JsonValueUtils.readString(jv, "stream"))
          && sequence() > 0;
    }

    long sequence() {
      return JsonValueUtils.readLong(jv, "seq", 0);
    }
  }
}
