package keyfleet.mongodb;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.store.Prefix;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;

/// Starts the watches of a store, and stops them when the engine closes.
final class MongoWatchRegistry {
  private static final Duration END_LIMIT = Duration.ofSeconds(2);

  private final MongoStoreClock clock;
  private final Set<MongoWatch> running = ConcurrentHashMap.newKeySet();

  MongoWatchRegistry(MongoStoreClock clock) {
    this.clock = clock;
  }

  Watch start(BucketDocuments documents, Prefix prefix, Watcher watcher) {
    MongoWatch watch =
        new MongoWatch(clock, new MongoChangePoller(documents, prefix), watcher, running::remove);
    running.add(watch);
    watch.start();
    return watch;
  }

  /// After a lost connection every watcher lists again, even if no poll failed.
  void markAllMissed() {
    running.forEach(MongoWatch::markMissed);
  }

  void close() {
    Set<MongoWatch> last = Set.copyOf(running);
    last.forEach(MongoWatch::close);
    last.forEach(it -> it.awaitEnd(END_LIMIT));
  }
}
