package keyfleet.nats;

import io.nats.client.api.MessageInfo;
import keyfleet.nats.NatsHead.Free;
import keyfleet.nats.NatsHead.Taken;
import keyfleet.nats.NatsStored.Kind;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.StoreTime;

/// Reads one key from the stream's leader, which `STREAM.MSG.GET` alone does: a direct get may be
/// answered by a replica that is behind.
final class NatsReader {
  private static final StoreTime ANY = new StoreTime(0);

  private final NatsStreams streams;

  NatsReader(NatsStreams streams) {
    this.streams = streams;
  }

  /// The time is asked first: were it asked after, a value refreshed in between could be taken for
  /// one that ran out.
  NatsHead head(NatsStream stream, Key key) {
    StoreTime now = stream.bucket() instanceof Bucket.Expiring ? streams.now(stream) : ANY;
    MessageInfo last = last(stream, key);
    return last.hasError() ? new Free(0) : judged(stream, NatsStored.of(last), now);
  }

  /// Every entry that is given away has passed here, so the store time is never before it.
  NatsHead judged(NatsStream stream, NatsStored stored, StoreTime now) {
    if (stored.kind() == Kind.MARKER || !stream.outlives(stored.writtenAt(), now)) {
      return new Free(stored.revision().number());
    }
    streams.time().see(stored.writtenAt().millis());
    return new Taken(stored);
  }

  private MessageInfo last(NatsStream stream, Key key) {
    String call = "STREAM.MSG.GET." + stream.name();
    String body = "{\"last_by_subj\":\"%s\"}".formatted(stream.subject(key));
    MessageInfo last = new MessageInfo(streams.link().ask(call, body), stream.name(), false);
    if (last.hasError() && last.getApiErrorCode() != NatsFault.NO_MESSAGE) {
      throw NatsFault.of("key " + key + " cannot be read", last);
    }
    return last;
  }
}
