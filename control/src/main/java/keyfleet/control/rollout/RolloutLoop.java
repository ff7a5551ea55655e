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

/// Drives the rollouts of a store, as one of several drivers. It adopts a rollout without a driver,
/// and watches one that another process drives.
public final class RolloutLoop {
  /// The most rollouts of one tick; the next tick continues with those after them.
  static final int MAX_ROLLOUTS = 64;

  private final String driver;
  private final Kv kv;
  private final LongSupplier elapsed;
  private final Failpoints failpoints;
  private final RolloutStore store;
  private final NodeObserver observer;
  private final Map<RolloutId, RolloutDriver> drivers = new TreeMap<>();
  private @Nullable RolloutId lastDriven;
  private String storeProblem = "";

  /// `elapsed` counts nanoseconds, including those while the machine is suspended.
  public RolloutLoop(
      String driver, Kv kv, LongSupplier elapsed, Supplier<String> nonces, Failpoints failpoints) {
    this.driver = driver;
    this.kv = kv;
    this.elapsed = elapsed;
    this.failpoints = failpoints;
    this.store = new RolloutStore(kv, failpoints, nonces);
    this.observer = new NodeObserver(kv, failpoints);
  }

  /// R20: while the store is unavailable, nothing is commanded and nothing is aborted.
  public void tick() {
    Duration now = Duration.ofNanos(elapsed.getAsLong());
    try {
      storeProblem = "";
      List<Entry> heartbeats = store.listDrivers();
      drivers.keySet().retainAll(heartbeats.stream().map(RolloutLoop::rolloutOf).toList());
      for (Entry heartbeat : nextInTurn(heartbeats)) {
        lastDriven = rolloutOf(heartbeat);
        tick(heartbeat, now);
      }
    } catch (StoreException e) {
      storeProblem = e.getMessage();
    }
  }

  /// The rollouts after the last one that was driven, then those up to it.
  private List<Entry> nextInTurn(List<Entry> heartbeats) {
    RolloutId from = lastDriven;
    Comparator<Entry> byId = Comparator.comparing(RolloutLoop::rolloutOf);
    return heartbeats.stream()
        .sorted(
            Comparator.<Entry, Boolean>comparing(
                    it -> from != null && rolloutOf(it).compareTo(from) <= 0)
                .thenComparing(byId))
        .limit(MAX_ROLLOUTS)
        .toList();
  }

  private void tick(Entry heartbeat, Duration now) {
    RolloutId id = rolloutOf(heartbeat);
    RolloutDriver rolloutDriver = drivers.computeIfAbsent(id, _ -> newDriver());
    try {
      Optional<StoredRollout> found = store.read(id);
      found.ifPresentOrElse(
          it -> rolloutDriver.tick(it, heartbeat, now),
          () -> rolloutDriver.setProblem("its control record is missing"));
    } catch (MalformedValueException e) {
      rolloutDriver.setProblem(String.valueOf(e.getMessage()));
    }
  }

  private RolloutDriver newDriver() {
    return new RolloutDriver(
        driver, store, observer, new DesiredStateWriter(kv, failpoints, store));
  }

  private static RolloutId rolloutOf(Entry heartbeat) {
    return RolloutKeys.rolloutOf(heartbeat.key()).orElseThrow();
  }

  /// Called before a clean stop, so that other drivers need not wait (R3).
  public void release() {
    drivers.values().forEach(RolloutDriver::release);
    drivers.clear();
  }

  /// The reasons why the store, or a rollout, stops this driver, for people.
  public Map<String, String> problems() {
    Map<String, String> problems = new TreeMap<>();
    if (!storeProblem.isEmpty()) {
      problems.put("store", storeProblem);
    }
    drivers.forEach((id, rolloutDriver) -> {
      if (!rolloutDriver.problem().isEmpty()) {
        problems.put("rollout " + id, rolloutDriver.problem());
      }
    });
    return problems;
  }
}
