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

/// Writes one key. The leader checks what was the key's last message and lets one of those that
/// expect the same pass.
///
/// A lost race is no conflict yet: the leader also says so while another's write is on its way and
/// may still fail. So the key is read again, and only what is seen there decides.
final class NatsKeyWriter {
  /// What to send, but for what it expects.
  record OutgoingMessage(NatsStream stream, Key key, Kind kind, Bytes bytes) {}

  /// Which last message the write must follow; empty if what is there rules it out.
  private interface Expectation extends Function<NatsKeyState, OptionalLong> {}

  /// With the pauses between them, over a second: longer than a write is on its way in a healthy
  /// cluster.
  private static final int TRIES = 40;

  private static final int LONGEST_PAUSE_MILLIS = 50;

  private final NatsConnection link;
  private final NatsKeyReader reader;

  NatsKeyWriter(NatsConnection link, NatsKeyReader reader) {
    this.link = link;
    this.reader = reader;
  }

  /// Whatever is there.
  WriteResult put(OutgoingMessage draft) {
    return outcome(draft, send(draft, headers(draft)));
  }

  WriteResult create(OutgoingMessage draft) {
    Expectation free =
        head ->
            head instanceof Absent(var sequence) ? OptionalLong.of(sequence) : OptionalLong.empty();
    return race(draft, free, 0);
  }

  WriteResult replace(OutgoingMessage draft, Revision expected) {
    Expectation same =
        head ->
            head instanceof Present(var stored) && stored.revision().equals(expected)
                ? OptionalLong.of(expected.number())
                : OptionalLong.empty();
    // The server does not know that a value has run out before it sweeps it away.
    boolean mayHaveRunOut = draft.stream().bucket() instanceof Bucket.Expiring;
    return mayHaveRunOut && following(draft, same).isEmpty()
        ? new Conflict()
        : race(draft, same, expected.number());
  }

  private WriteResult race(OutgoingMessage draft, Expectation expectation, long first) {
    long last = first;
    for (int i = 0; i < TRIES; i++) {
      Headers headers =
          headers(draft).put("Nats-Expected-Last-Subject-Sequence", Long.toString(last));
      WriteResult writeResult = outcome(draft, send(draft, headers));
      if (!(writeResult instanceof Conflict)) {
        return writeResult;
      }
      pauseAfter(i);
      OptionalLong next = following(draft, expectation);
      if (next.isEmpty()) {
        return new Conflict();
      }
      last = next.getAsLong();
    }
    throw new StoreException("key %s was busy in each of %d tries".formatted(draft.key(), TRIES));
  }

  private OptionalLong following(OutgoingMessage draft, Expectation expectation) {
    return expectation.apply(reader.head(draft.stream(), draft.key()));
  }

  private void pauseAfter(int tries) {
    if (tries > 0) {
      link.threads().pause(Duration.ofMillis(Math.min(1L << tries, LONGEST_PAUSE_MILLIS)));
    }
  }

  private NatsReply send(OutgoingMessage draft, Headers headers) {
    return link.request(draft.stream().subject(draft.key()), headers, draft.bytes().toArray());
  }

  private static Headers headers(OutgoingMessage draft) {
    Headers headers = new Headers().put("Nats-Expected-Stream", draft.stream().name());
    if (draft.kind() == Kind.MARKER) {
      headers.put(OPERATION, DELETED);
      if (draft.stream().bucket() instanceof Bucket.Lasting) {
        headers.put("Nats-TTL", NatsStream.MARKER_LIFETIME.toSeconds() + "s");
      }
    }
    return headers;
  }

  private static WriteResult outcome(OutgoingMessage draft, NatsReply answer) {
    return switch (answer) {
      case Answered(var message) -> said(draft, message);
      case Undelivered nobody -> throw new StoreException(nobody.why());
      case TimedOut _ -> new Unknown();
    };
  }

  /// What we cannot read is no proof of anything.
  private static WriteResult said(OutgoingMessage draft, Message message) {
    Acknowledgement answer = new Acknowledgement(message);
    if (NatsErrors.isLostRace(answer)) {
      return new Conflict();
    }
    if (NatsErrors.isTurnedAway(answer)) {
      throw NatsErrors.of("key " + draft.key() + " was not written", answer);
    }
    return answer.isFrom(draft.stream())
        ? new Written(new Revision(answer.sequence()))
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
