package keyfleet.nats;

import java.util.List;
import java.util.Optional;
import keyfleet.nats.NatsKeyMessage.Kind;
import keyfleet.nats.NatsKeyState.Absent;
import keyfleet.nats.NatsKeyState.Present;
import keyfleet.nats.NatsKeyWriter.OutgoingMessage;
import keyfleet.store.Bucket;
import keyfleet.store.Bytes;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.StoreTime;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;

/// [Kv] on streams of JetStream.
final class NatsKv implements Kv {
  private static final Bytes NOTHING = Bytes.copyOf(new byte[0]);

  private final NatsStreamRegistry streams;
  private final NatsKeyReader reader;
  private final NatsKeyWriter writer;
  private final NatsLister lister;
  private final NatsWatchRegistry watches;

  NatsKv(NatsStreamRegistry streams, NatsWatchRegistry watches) {
    this.streams = streams;
    this.watches = watches;
    this.reader = new NatsKeyReader(streams);
    this.writer = new NatsKeyWriter(streams.link(), reader);
    this.lister = new NatsLister(streams, reader);
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    return switch (reader.head(streams.of(bucket), key)) {
      case Absent _ -> Optional.empty();
      case Present(var stored) -> Optional.of(stored.entry(key));
    };
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return writer.create(draft(bucket, key, value));
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return writer.replace(draft(bucket, key, value), expected);
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return writer.put(draft(bucket, key, value));
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    OutgoingMessage marker = new OutgoingMessage(streams.of(bucket), key, Kind.MARKER, NOTHING);
    return switch (writer.replace(marker, expected)) {
      case Written _ -> new Deleted();
      case Conflict conflict -> conflict;
      case Unknown unknown -> unknown;
    };
  }

  @Override
  public List<Entry> list(Bucket bucket, Prefix prefix) {
    return lister.list(streams.of(bucket), prefix);
  }

  @Override
  public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    return watches.watch(streams.link(), streams.of(bucket), prefix, watcher);
  }

  @Override
  public StoreTime storeTime() {
    return streams.now(streams.anchor());
  }

  private OutgoingMessage draft(Bucket bucket, Key key, Value value) {
    return new OutgoingMessage(streams.of(bucket), key, Kind.VALUE, value.bytes());
  }
}
