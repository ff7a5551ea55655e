package keyfleet.nats;

import io.nats.client.api.MessageInfo;
import keyfleet.nats.NatsKeyMessage.Kind;
import keyfleet.nats.NatsKeyState.Absent;
import keyfleet.nats.NatsKeyState.Present;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.StoreTime;

/// Reads one key from the stream's leader, which `STREAM.MSG.GET` alone does: a direct get may be
/// answered by a replica that is behind.
final class NatsKeyReader {
  private static final StoreTime ANY = new StoreTime(0);

  private final NatsStreamRegistry streams;

  NatsKeyReader(NatsStreamRegistry streams) {
    this.streams = streams;
  }

  /// The time is asked first: were it asked after, a value refreshed in between could be taken for
  /// one that ran out.
  NatsKeyState read(NatsStream stream, Key key) {
    StoreTime now = stream.bucket() instanceof Bucket.Expiring ? streams.fetchTime(stream) : ANY;
    MessageInfo last = readLastMessage(stream, key);
    return last.hasError() ? new Absent(0) : toKeyState(stream, NatsKeyMessage.of(last), now);
  }

  /// Every entry that is given away has passed here, so the store time is never before it.
  NatsKeyState toKeyState(NatsStream stream, NatsKeyMessage stored, StoreTime now) {
    if (stored.kind() == Kind.MARKER || !stream.isLive(stored.writtenAt(), now)) {
      return new Absent(stored.revision().number());
    }
    streams.storeTime().observe(stored.writtenAt().millis());
    return new Present(stored);
  }

  private MessageInfo readLastMessage(NatsStream stream, Key key) {
    String call = "STREAM.MSG.GET." + stream.name();
    String body = "{\"last_by_subj\":\"%s\"}".formatted(stream.subject(key));
    MessageInfo last =
        new MessageInfo(streams.connection().callApi(call, body), stream.name(), false);
    if (last.hasError() && last.getApiErrorCode() != NatsErrors.NO_MESSAGE) {
      throw NatsErrors.toStoreException("key " + key + " cannot be read", last);
    }
    return last;
  }
}
