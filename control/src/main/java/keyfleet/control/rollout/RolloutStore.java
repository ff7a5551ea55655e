package keyfleet.control.rollout;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import keyfleet.store.WriteOutcome;
import keyfleet.wire.RolloutControlDocument;
import keyfleet.wire.RolloutDriverHeartbeat;
import keyfleet.wire.RolloutKeys;
import keyfleet.wire.RolloutSpecDocument;

/// The rollouts of a store: reads and changes them. What was decoded once is not decoded again
/// while its revision stands.
final class RolloutStore {
  /// How often a write without an answer is sent before the tick, or the order, gives up.
  static final int MAX_TRIES = 3;

  private static final int MAX_CACHED = 1_000;

  /// A rollout as one revision of its control record has it.
  record StoredRollout(Rollout rollout, Revision revision) {
    RolloutId id() {
      return rollout.run().spec().id();
    }
  }

  private final Kv kv;
  private final Failpoints failpoints;
  private final Supplier<String> nonces;
  private final Map<RolloutId, StoredRollout> cache = new HashMap<>();

  RolloutStore(Kv kv, Failpoints failpoints, Supplier<String> nonces) {
    this.kv = kv;
    this.failpoints = failpoints;
    this.nonces = nonces;
  }

  String newNonce() {
    return nonces.get();
  }

  Optional<StoredRollout> read(RolloutId id) {
    Optional<Entry> control = get(RolloutKeys.control(id));
    StoredRollout cached = cache.get(id);
    if (control.isEmpty() || (cached != null && isSame(cached, control.get()))) {
      return control.map(_ -> cached);
    }
    RolloutSpec spec = cached == null ? readSpec(id) : cached.rollout().run().spec();
    Entry entry = control.get();
    return Optional.of(cache(RolloutControlDocument.parse(spec, entry.value()), entry.revision()));
  }

  private static boolean isSame(StoredRollout cached, Entry entry) {
    return cached.revision().equals(entry.revision());
  }

  /// It never changes, so it is read once. A store that shows the control record without it shows
  /// an old state of the other key; asking again helps.
  RolloutSpec readSpec(RolloutId id) {
    return findSpec(id)
        .orElseThrow(() -> new StoreException("the spec of rollout " + id + " is not to be seen"));
  }

  Optional<RolloutSpec> findSpec(RolloutId id) {
    return get(RolloutKeys.spec(id)).map(Entry::value).map(RolloutSpecDocument::parse);
  }

  private Optional<Entry> get(Key key) {
    return failpoints.at(Failpoint.ROLLOUT_READ, () -> kv.get(RolloutKeys.ROLLOUTS, key));
  }

  /// The limit is for a process that lives for years.
  private StoredRollout cache(Rollout rollout, Revision revision) {
    if (cache.size() >= MAX_CACHED) {
      cache.clear();
    }
    StoredRollout storedRollout = new StoredRollout(rollout, revision);
    cache.put(storedRollout.id(), storedRollout);
    return storedRollout;
  }

  /// By compare-and-set; empty if another came first, or no answer came. R23: each value has a
  /// nonce of its own, by which a write without an answer is found again.
  Optional<StoredRollout> commit(StoredRollout before, Rollout next) {
    Key key = RolloutKeys.control(before.id());
    Value value = RolloutControlDocument.toValue(next, newNonce());
    ConditionalWrite conditionalWrite =
        new ConditionalWrite.Update(RolloutKeys.ROLLOUTS, key, value, before.revision());
    WriteOutcome writeOutcome =
        failpoints.at(
            Failpoint.ROLLOUT_WRITE, () -> conditionalWrite.sendUntilKnown(kv, MAX_TRIES));
    return writeOutcome instanceof WriteOutcome.Applied(var revision)
        ? Optional.of(cache(next, revision))
        : Optional.empty();
  }

  WriteOutcome create(Key key, Value value) {
    ConditionalWrite conditionalWrite =
        new ConditionalWrite.Create(RolloutKeys.ROLLOUTS, key, value);
    return failpoints.at(
        Failpoint.ROLLOUT_CREATE, () -> conditionalWrite.sendUntilKnown(kv, MAX_TRIES));
  }

  /// R1: the lead of the next epoch, by creating its key; empty if another won it.
  Optional<DriverClaim> claim(StoredRollout storedRollout, String driver) {
    return claimAfter(0, storedRollout, driver);
  }

  /// R24: `obeyed` is the highest epoch that a node has seen; the store may have lost its key.
  Optional<DriverClaim> claimAfter(long obeyed, StoredRollout storedRollout, String driver) {
    long epoch = Math.max(obeyed, readHighestEpoch(storedRollout)) + 1;
    DriverClaim driverClaim = new DriverClaim(epoch, newNonce());
    Value value =
        Document.builder()
            .text("driver_id", driver)
            .text("nonce", driverClaim.nonce())
            .build()
            .toValue();
    ConditionalWrite conditionalWrite =
        new ConditionalWrite.Create(
            RolloutKeys.ROLLOUTS, RolloutKeys.epoch(storedRollout.id(), epoch), value);
    WriteOutcome writeOutcome =
        failpoints.at(Failpoint.EPOCH_CLAIM, () -> conditionalWrite.sendUntilKnown(kv, MAX_TRIES));
    return writeOutcome instanceof WriteOutcome.Applied
        ? Optional.of(driverClaim)
        : Optional.empty();
  }

  /// Epoch keys are never deleted while the rollout exists.
  private long readHighestEpoch(StoredRollout storedRollout) {
    List<Entry> claims =
        failpoints.at(
            Failpoint.EPOCHS_READ,
            () -> kv.list(RolloutKeys.ROLLOUTS, RolloutKeys.epochs(storedRollout.id())));
    return claims.stream()
        .mapToLong(it -> RolloutKeys.epochOf(storedRollout.id(), it.key()).orElse(0))
        .reduce(storedRollout.rollout().run().claim().epoch(), Math::max);
  }

  /// R2: whether somebody has claimed an epoch after this lead's.
  boolean isSuperseded(RolloutId id, DriverClaim driverClaim) {
    Key next = RolloutKeys.epoch(id, driverClaim.epoch() + 1);
    return failpoints
        .at(Failpoint.EPOCHS_READ, () -> kv.get(RolloutKeys.ROLLOUTS, next))
        .isPresent();
  }

  /// A key that names no rollout calls for no driver, and stops none.
  List<Entry> listDrivers() {
    List<Entry> all =
        failpoints.at(
            Failpoint.DRIVERS_LIST, () -> kv.list(RolloutKeys.ROLLOUTS, RolloutKeys.DRIVERS));
    return all.stream().filter(it -> RolloutKeys.rolloutOf(it.key()).isPresent()).toList();
  }

  WriteOutcome writeHeartbeat(RolloutId id, RolloutDriverHeartbeat beat, Revision expected) {
    ConditionalWrite conditionalWrite =
        new ConditionalWrite.Update(
            RolloutKeys.ROLLOUTS, RolloutKeys.driver(id), beat.toValue(newNonce()), expected);
    return failpoints.at(
        Failpoint.DRIVER_BEAT, () -> conditionalWrite.sendUntilKnown(kv, MAX_TRIES));
  }

  /// Calls for a driver. It changes the key in any case, so that nobody retires it by what it was.
  WriteOutcome requestDriver(RolloutId id, String by) {
    Key key = RolloutKeys.driver(id);
    Value value = RolloutDriverHeartbeat.released(by).toValue(newNonce());
    Optional<Entry> present =
        failpoints.at(Failpoint.DRIVER_READ, () -> kv.get(RolloutKeys.ROLLOUTS, key));
    ConditionalWrite conditionalWrite =
        present.isEmpty()
            ? new ConditionalWrite.Create(RolloutKeys.ROLLOUTS, key, value)
            : new ConditionalWrite.Update(
                RolloutKeys.ROLLOUTS, key, value, present.get().revision());
    return failpoints.at(
        Failpoint.DRIVER_BEAT, () -> conditionalWrite.sendUntilKnown(kv, MAX_TRIES));
  }

  /// Calls for a driver where none was ever called for.
  WriteOutcome requestFirstDriver(RolloutId id, String by) {
    Value value = RolloutDriverHeartbeat.released(by).toValue(newNonce());
    ConditionalWrite conditionalWrite =
        new ConditionalWrite.Create(RolloutKeys.ROLLOUTS, RolloutKeys.driver(id), value);
    return failpoints.at(
        Failpoint.DRIVER_BEAT, () -> conditionalWrite.sendUntilKnown(kv, MAX_TRIES));
  }

  /// Nothing is left to drive. What comes of it does not matter: the next tick tries again.
  void retire(Entry beat) {
    failpoints.at(
        Failpoint.DRIVER_RETIRE,
        () -> kv.delete(RolloutKeys.ROLLOUTS, beat.key(), beat.revision()));
  }
}
