package keyfleet.control.rollout;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.rollout.RolloutStore.StoredRollout;
import keyfleet.rollout.RolloutId;
import keyfleet.store.Entry;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;
import keyfleet.wire.RolloutKeys;
import org.jspecify.annotations.Nullable;

/// Drives the rollouts of a store, as one of any number of drivers. A rollout that nobody drives is
/// adopted; one that another drives is watched.
public final class RolloutLoop {
  /// How many rollouts one tick looks at; the next tick goes on with those behind them.
  static final int MAX_ROLLOUTS = 64;

  private final String driver;
  private final Kv kv;
  private final LongSupplier elapsed;
  private final Failpoints failpoints;
  private final RolloutStore shelf;
  private final NodeObserver fleet;
  private final Map<RolloutId, RolloutDriver> drives = new TreeMap<>();
  private @Nullable RolloutId last;
  private String trouble = "";

  /// `elapsed` counts nanoseconds, also while the machine sleeps.
  public RolloutLoop(
      String driver, Kv kv, LongSupplier elapsed, Supplier<String> nonces, Failpoints failpoints) {
    this.driver = driver;
    this.kv = kv;
    this.elapsed = elapsed;
    this.failpoints = failpoints;
    this.shelf = new RolloutStore(kv, failpoints, nonces);
    this.fleet = new NodeObserver(kv, failpoints);
  }

  /// R20: while the store cannot be used nothing is commanded, and nothing is aborted for it.
  public void tick() {
    Duration now = Duration.ofNanos(elapsed.getAsLong());
    try {
      trouble = "";
      List<Entry> beats = shelf.drivers();
      drives.keySet().retainAll(beats.stream().map(RolloutLoop::id).toList());
      for (Entry beat : turn(beats)) {
        last = id(beat);
        tick(beat, now);
      }
    } catch (StoreException e) {
      trouble = e.getMessage();
    }
  }

  /// Whose turn it is: after the last one that was looked at, and round to it again.
  private List<Entry> turn(List<Entry> beats) {
    RolloutId from = last;
    Comparator<Entry> byId = Comparator.comparing(RolloutLoop::id);
    return beats.stream()
        .sorted(
            Comparator.<Entry, Boolean>comparing(it -> from != null && id(it).compareTo(from) <= 0)
                .thenComparing(byId))
        .limit(MAX_ROLLOUTS)
        .toList();
  }

  private void tick(Entry beat, Duration now) {
    RolloutId id = id(beat);
    RolloutDriver drive = drives.computeIfAbsent(id, _ -> drive());
    try {
      Optional<StoredRollout> found = shelf.read(id);
      found.ifPresentOrElse(
          it -> drive.tick(it, beat, now), () -> drive.stuck("it has no control record"));
    } catch (MalformedValueException e) {
      drive.stuck(String.valueOf(e.getMessage()));
    }
  }

  private RolloutDriver drive() {
    return new RolloutDriver(driver, shelf, fleet, new DesiredStateWriter(kv, failpoints, shelf));
  }

  private static RolloutId id(Entry beat) {
    return RolloutKeys.rolloutOf(beat.key()).orElseThrow();
  }

  /// Before a clean stop: others need not wait (R3).
  public void release() {
    drives.values().forEach(RolloutDriver::release);
    drives.clear();
  }

  /// Why the store, or a rollout, does not let it go on; in words.
  public Map<String, String> troubles() {
    Map<String, String> troubles = new TreeMap<>();
    if (!trouble.isEmpty()) {
      troubles.put("store", trouble);
    }
    drives.forEach((id, drive) -> {
      if (!drive.trouble().isEmpty()) {
        troubles.put("rollout " + id, drive.trouble());
      }
    });
    return troubles;
  }
}
