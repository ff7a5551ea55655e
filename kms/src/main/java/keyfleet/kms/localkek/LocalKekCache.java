package keyfleet.kms.localkek;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// A cache of local KEKs that were made or unwrapped, which evicts the least recently used one. The
/// key that new values are sealed under is not in its reach: it is kept apart until another key
/// replaces it. Safe for any number of threads.
public final class LocalKekCache {
  /// An evicted key is wiped after this time: a call that found the key just before its eviction
  /// has finished by then.
  private static final Duration WIPE_DELAY = Duration.ofSeconds(10);

  private record Evicted(LocalKek kek, long atNanos) {}

  private final int maxSize;
  private final LongSupplier clock;
  private final Map<LocalKek.Id, LocalKek> byId = new LinkedHashMap<>(64, 0.75f, true);
  private final Queue<Evicted> evicted = new ArrayDeque<>();
  private @Nullable LocalKek writeKey;
  private long hits;
  private long misses;

  /// @param clock nanoseconds
  public LocalKekCache(int maxSize, LongSupplier clock) {
    this.maxSize = maxSize;
    this.clock = clock;
  }

  synchronized @Nullable LocalKek find(LocalKek.Id id) {
    LocalKek found = writeKey != null && writeKey.id().equals(id) ? writeKey : byId.get(id);
    if (found == null) {
      misses++;
    } else {
      hits++;
    }
    return found;
  }

  synchronized void put(LocalKek kek) {
    LocalKek replaced = byId.put(kek.id(), kek);
    if (replaced != null && replaced != kek) {
      evict(replaced);
    }
    if (byId.size() > maxSize) {
      var eldest = byId.entrySet().iterator();
      evict(eldest.next().getValue());
      eldest.remove();
    }
  }

  private void evict(LocalKek kek) {
    evicted.add(new Evicted(kek, clock.getAsLong()));
  }

  /// Keeps the key that new values are sealed under. The key before it becomes an ordinary entry,
  /// because the values that it sealed are likely to be read.
  public synchronized void keepWriteKey(LocalKek kek) {
    LocalKek before = writeKey;
    writeKey = kek;
    if (before != null && before != kek && before.passesSelfCheck()) {
      put(before);
    }
  }

  /// Wipes the keys that were evicted some time ago.
  public synchronized void wipeEvicted() {
    long before = clock.getAsLong() - WIPE_DELAY.toNanos();
    for (Evicted next = evicted.peek();
        next != null && next.atNanos() - before <= 0;
        next = evicted.peek()) {
      evicted.remove();
      next.kek().close();
    }
  }

  /// The values for the metrics.
  public record CacheStats(int size, long hits, long misses) {}

  public synchronized CacheStats stats() {
    return new CacheStats(byId.size() + (writeKey == null ? 0 : 1), hits, misses);
  }
}
