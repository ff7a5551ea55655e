package keyfleet.kms.localkek;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The local KEKs that were made or unwrapped lately, the longest unused first to go. For any
/// thread.
public final class LocalKekCache {
  private final int most;
  private final Map<LocalKek.Id, LocalKek> byName = new LinkedHashMap<>(64, 0.75f, true);
  private List<LocalKek> dropped = new ArrayList<>();
  private List<LocalKek> doomed = new ArrayList<>();
  private long hits;
  private long misses;

  public LocalKekCache(int most) {
    this.most = most;
  }

  synchronized @Nullable LocalKek find(LocalKek.Id name) {
    LocalKek found = byName.get(name);
    if (found == null) {
      misses++;
    } else {
      hits++;
    }
    return found;
  }

  synchronized void put(LocalKek kek) {
    byName.put(kek.name(), kek);
    if (byName.size() > most) {
      var eldest = byName.entrySet().iterator();
      dropped.add(eldest.next().getValue());
      eldest.remove();
    }
  }

  /// Wipes those that were dropped before it was last asked to: a call that found one just before
  /// it was dropped is through with it by now.
  public synchronized void wipe() {
    doomed.forEach(LocalKek::close);
    doomed = dropped;
    dropped = new ArrayList<>();
  }

  /// What a scrape shows.
  public record CacheStats(int size, long hits, long misses) {}

  public synchronized CacheStats count() {
    return new CacheStats(byName.size(), hits, misses);
  }
}
