package keyfleet.kms.localkek;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The local KEKs that were made or unwrapped lately, the longest unused first to go. For any
/// thread.
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

  /// Wipes those that were dropped before it was last asked to: a call that found one just before
  /// it was dropped is through with it by now.
  public synchronized void wipeEvicted() {
    wipeNext.forEach(LocalKek::close);
    wipeNext = evicted;
    evicted = new ArrayList<>();
  }

  /// What a scrape shows.
  public record CacheStats(int size, long hits, long misses) {}

  public synchronized CacheStats stats() {
    return new CacheStats(byId.size(), hits, misses);
  }
}
