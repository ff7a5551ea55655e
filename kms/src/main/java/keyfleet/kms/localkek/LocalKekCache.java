package keyfleet.kms.localkek;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A cache of local KEKs that were made or unwrapped, which evicts the least recently used one.
/// Safe for any number of threads.
public final class LocalKekCache {
  private final int maxSize;
  private final Map<LocalKek.Id, LocalKek> byId = new LinkedHashMap<>(64, 0.75f, true);
  private List<LocalKek> evicted = new ArrayList<>();
  private List<LocalKek> wipeNext = new ArrayList<>();
  private long hits;
  private long misses;

  public LocalKekCache(int maxSize) {
    this.maxSize = maxSize;
  }

  synchronized @Nullable LocalKek find(LocalKek.Id id) {
    LocalKek found = byId.get(id);
    if (found == null) {
      misses++;
    } else {
      hits++;
    }
    return found;
  }

  synchronized void put(LocalKek kek) {
    byId.put(kek.id(), kek);
    if (byId.size() > maxSize) {
      var eldest = byId.entrySet().iterator();
      evicted.add(eldest.next().getValue());
      eldest.remove();
    }
  }

  /// Wipes the keys that were evicted before the previous call of this method. A call that found a
  /// key just before its eviction has finished by then.
  public synchronized void wipeEvicted() {
    wipeNext.forEach(LocalKek::close);
    wipeNext = evicted;
    evicted = new ArrayList<>();
  }

  /// The values for the metrics.
  public record CacheStats(int size, long hits, long misses) {}

  public synchronized CacheStats stats() {
    return new CacheStats(byId.size(), hits, misses);
  }
}
