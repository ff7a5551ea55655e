package keyfleet.nats;

import io.nats.client.api.MessageInfo;
import keyfleet.nats.NatsKeyMessage.Kind;
import keyfleet.nats.NatsKeyState.Absent;
import keyfleet.nats.NatsKeyState.Present;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.StoreTime;

/// Reads one key from the stream's leader with `STREAM.MSG.GET`. A direct get is not enough: a
/// replica that is behind may answer it.
final class NatsKeyReader {
  private static final StoreTime ANY = new StoreTime(0);

  private final NatsStreamRegistry streams;

  NatsKeyReader(NatsStreamRegistry streams) {
    this.streams = streams;
  }

  /// Reads the time first: if it were read after the value, a value refreshed in between could seem
  /// expired.
  NatsKeyState read(NatsStream stream, Key key) {
    StoreTime now = stream.bucket() instanceof Bucket.Expiring ? streams.fetchTime(stream) : ANY;
    MessageInfo last = readLastMessage(stream, key);
    return last.hasError() ? new Absent(0) : toKeyState(stream, NatsKeyMessage.of(last), now);
  }

  /// Every entry that a caller gets passes through here, so store time is never before an entry's
  /// time.
  NatsKeyState toKeyState(NatsStream stream, NatsKeyMessage stored, StoreTime now) {
    if (stored.kind() == Kind.MARKER || !stream.isLive(stored.writtenAt(), now)) {
      return new Absent(stored.revision().number());
    }
    streams.latestTime().observe(stored.writtenAt().millis());
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
