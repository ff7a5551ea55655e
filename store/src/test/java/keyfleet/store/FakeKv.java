package keyfleet.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.WatchSubscriptions;

/// A [Kv] in memory. It is deterministic: it has no thread and no clock of its own, and the thread
/// that makes a change gives the hint before the call returns.
public final class FakeKv implements Kv {
  private final FakeStoreClock clock;
  private final Map<String, Bucket> buckets = new HashMap<>();
  private final Map<String, NavigableMap<Key, Entry>> entries = new HashMap<>();
  private final WatchSubscriptions subscriptions = new WatchSubscriptions();
  private long lastRevision;
  private volatile boolean connected = true;

  public FakeKv(FakeStoreClock clock) {
    this.clock = clock;
  }

  @Override
  public synchronized Optional<Entry> get(Bucket bucket, Key key) {
    return Optional.ofNullable(liveEntries(bucket).get(key));
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    WriteResult result;
    synchronized (this) {
      result = liveEntries(bucket).containsKey(key) ? new Conflict() : store(bucket, key, value);
    }
    return hintIfWritten(bucket, key, result);
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    WriteResult result;
    synchronized (this) {
      result = isAt(bucket, key, expected) ? store(bucket, key, value) : new Conflict();
    }
    return hintIfWritten(bucket, key, result);
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    WriteResult result;
    synchronized (this) {
      result = store(bucket, key, value);
    }
    return hintIfWritten(bucket, key, result);
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    synchronized (this) {
      if (!isAt(bucket, key, expected)) {
        return new Conflict();
      }
      liveEntries(bucket).remove(key);
    }
    hint(bucket, key);
    return new Deleted();
  }

  @Override
  public synchronized List<Entry> list(Bucket bucket, Prefix prefix) {
    List<Entry> found = new ArrayList<>();
    for (Entry entry : liveEntries(bucket).values()) {
      if (prefix.matches(entry.key())) {
        found.add(entry);
      }
    }
    return Collections.unmodifiableList(found);
  }

  @Override
  public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    return subscriptions.add(bucket, prefix, watcher);
  }

  @Override
  public StoreTime storeTime() {
    return clock.now();
  }

  /// From now on hints are lost.
  public void disconnectWatches() {
    connected = false;
  }

  /// Delivers hints again. Watchers do not learn which ones were lost.
  public void reconnectWatches() {
    connected = true;
    subscriptions.deliverMissed();
  }

  /// Saves the current state. Running the result restores it, like a store that lost what was not
  /// yet on disk. Later writes still get revisions that were never used.
  public synchronized Runnable checkpoint() {
    Map<String, NavigableMap<Key, Entry>> saved = new HashMap<>();
    entries.forEach((bucket, inBucket) -> saved.put(bucket, new TreeMap<>(inBucket)));
    return () -> restore(saved);
  }

  private synchronized void restore(Map<String, NavigableMap<Key, Entry>> saved) {
    entries.clear();
    saved.forEach((bucket, inBucket) -> entries.put(bucket, new TreeMap<>(inBucket)));
  }

  private NavigableMap<Key, Entry> liveEntries(Bucket bucket) {
    Bucket known = buckets.computeIfAbsent(bucket.name(), _ -> bucket);
    if (!known.equals(bucket)) {
      throw new IllegalArgumentException("bucket exists as " + known + ", not as " + bucket);
    }
    NavigableMap<Key, Entry> live = entries.computeIfAbsent(bucket.name(), _ -> new TreeMap<>());
    if (bucket instanceof Bucket.Expiring(_, var lifetime)) {
      long oldest = clock.now().millis() - lifetime.toMillis();
      live.values().removeIf(it -> it.writtenAt().millis() <= oldest);
    }
    return live;
  }

  private boolean isAt(Bucket bucket, Key key, Revision expected) {
    Entry entry = liveEntries(bucket).get(key);
    return entry != null && entry.revision().equals(expected);
  }

  private Written store(Bucket bucket, Key key, Value value) {
    Revision revision = new Revision(++lastRevision);
    liveEntries(bucket).put(key, new Entry(key, value, revision, clock.now()));
    return new Written(revision);
  }

  private WriteResult hintIfWritten(Bucket bucket, Key key, WriteResult result) {
    if (result instanceof Written) {
      hint(bucket, key);
    }
    return result;
  }

  /// Called outside the lock, because a watcher may read.
  private void hint(Bucket bucket, Key key) {
    if (connected) {
      subscriptions.deliverChange(bucket.name(), key);
    }
  }
}
