package keyfleet.kms;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The local KEKs that were made or unwrapped lately, the longest unused first to go. For any
/// thread.
final class LocalKeks {
  private final int most;
  private final Map<LocalKek.Name, LocalKek> byName = new LinkedHashMap<>(64, 0.75f, true);
  private List<LocalKek> dropped = new ArrayList<>();
  private List<LocalKek> doomed = new ArrayList<>();
  private long hits;
  private long misses;

  LocalKeks(int most) {
    this.most = most;
  }

  synchronized @Nullable LocalKek find(LocalKek.Name name) {
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
  synchronized void wipe() {
    doomed.forEach(LocalKek::close);
    doomed = dropped;
    dropped = new ArrayList<>();
  }

  /// What a scrape shows.
  record Count(int size, long hits, long misses) {}

  synchronized Count count() {
    return new Count(byName.size(), hits, misses);
  }
}
