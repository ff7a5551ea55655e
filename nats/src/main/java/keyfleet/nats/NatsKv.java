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

/// The port [Kv] on JetStream streams.
final class NatsKv implements Kv {
  private static final Bytes EMPTY = Bytes.copyOf(new byte[0]);

  private final NatsStreamRegistry streams;
  private final NatsKeyReader reader;
  private final NatsKeyWriter writer;
  private final NatsLister lister;
  private final NatsWatchRegistry watchRegistry;

  NatsKv(NatsStreamRegistry streams, NatsWatchRegistry watchRegistry) {
    this.streams = streams;
    this.watchRegistry = watchRegistry;
    this.reader = new NatsKeyReader(streams);
    this.writer = new NatsKeyWriter(streams.connection(), reader);
    this.lister = new NatsLister(streams, reader);
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    if (!streams.canHaveEntries(bucket)) {
      return Optional.empty();
    }
    return switch (reader.read(streams.streamOf(bucket), key)) {
      case Absent _ -> Optional.empty();
      case Present(var stored) -> Optional.of(stored.toEntry(key));
    };
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return writer.create(message(bucket, key, value));
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return writer.replace(message(bucket, key, value), expected);
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return writer.put(message(bucket, key, value));
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    OutgoingMessage marker = new OutgoingMessage(streams.streamOf(bucket), key, Kind.MARKER, EMPTY);
    return switch (writer.replace(marker, expected)) {
      case Written _ -> new Deleted();
      case Conflict conflict -> conflict;
      case Unknown unknown -> unknown;
    };
  }

  @Override
  public List<Entry> list(Bucket bucket, Prefix prefix) {
    return streams.canHaveEntries(bucket)
        ? lister.list(streams.streamOf(bucket), prefix)
        : List.of();
  }

  @Override
  public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    return watchRegistry.watch(streams.connection(), streams.streamOf(bucket), prefix, watcher);
  }

  @Override
  public StoreTime storeTime() {
    return streams.fetchTime(streams.clockStream());
  }

  private OutgoingMessage message(Bucket bucket, Key key, Value value) {
    return new OutgoingMessage(streams.streamOf(bucket), key, Kind.VALUE, value.bytes());
  }
}
