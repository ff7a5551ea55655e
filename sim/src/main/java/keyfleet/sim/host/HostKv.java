package keyfleet.sim.host;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import keyfleet.store.Bucket;
import keyfleet.store.DeleteResult;
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
import org.jspecify.annotations.Nullable;

/// The store as one loop of a host sees it through the host's link.
public final class HostKv implements Kv {
  /// Whether the loop must survive stale reads. The join of a member and the roster of a gate need
  /// fresh reads, which the port guarantees.
  public enum ReadMode {
    FRESH,
    MAY_BE_STALE
  }

  private record BucketKey(String bucket, Key key) {}

  /// The last two entries that a reader has seen; a stale read returns the older one. Null means no
  /// entry.
  private record LastTwoEntries(@Nullable Entry older, @Nullable Entry newer) {
    static LastTwoEntries of(@Nullable Entry entry) {
      return new LastTwoEntries(entry, entry);
    }

    LastTwoEntries followedBy(LastTwoEntries next) {
      return Objects.equals(newer, next.newer) ? this : new LastTwoEntries(newer, next.newer);
    }

    Optional<Entry> olderEntry() {
      return Optional.ofNullable(older);
    }
  }

  private final Kv store;
  private final StoreCalls calls;
  private final ReadMode readMode;
  private final Map<BucketKey, LastTwoEntries> seen = new HashMap<>();

  public HostKv(Kv store, HostLoop loop, ReadMode readMode) {
    this.store = store;
    this.calls = new StoreCalls(loop);
    this.readMode = readMode;
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    if (readMode == ReadMode.MAY_BE_STALE && calls.shouldReadStale()) {
      LastTwoEntries entries = seen.get(new BucketKey(bucket.name(), key));
      if (entries != null) {
        return entries.olderEntry();
      }
    }
    Optional<Entry> entry = calls.read(() -> store.get(bucket, key));
    if (readMode == ReadMode.MAY_BE_STALE) {
      seen.merge(
          new BucketKey(bucket.name(), key),
          LastTwoEntries.of(entry.orElse(null)),
          LastTwoEntries::followedBy);
    }
    return entry;
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return write(() -> store.create(bucket, key, value));
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return write(() -> store.update(bucket, key, value, expected));
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return write(() -> store.put(bucket, key, value));
  }

  private WriteResult write(StoreCalls.Call<WriteResult> call) {
    return calls.write(call, new Unknown());
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    return calls.<DeleteResult>write(() -> store.delete(bucket, key, expected), new Unknown());
  }

  @Override
  public List<Entry> list(Bucket bucket, Prefix prefix) {
    return calls.read(() -> store.list(bucket, prefix));
  }

  @Override
  public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    return store.watch(bucket, prefix, watcher);
  }

  @Override
  public StoreTime storeTime() {
    return calls.read(store::storeTime);
  }
}
