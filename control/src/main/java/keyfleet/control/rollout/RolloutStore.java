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

/// Reads and writes the rollouts of a store. A document is parsed again only if its revision
/// changed.
final class RolloutStore {
  /// How often a write without an answer is sent before the tick, or the operation, gives up.
  static final int MAX_TRIES = 3;

  private static final int MAX_CACHED = 1_000;

  /// A rollout at one revision of its control record.
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

  /// The spec never changes, so it is read once. If the store returns a control record without its
  /// spec, the read of the spec was stale, and another read helps.
  RolloutSpec readSpec(RolloutId id) {
    return findSpec(id)
        .orElseThrow(() -> new StoreException("the spec of rollout " + id + " cannot be read yet"));
  }

  Optional<RolloutSpec> findSpec(RolloutId id) {
    return get(RolloutKeys.spec(id)).map(Entry::value).map(RolloutSpecDocument::parse);
  }

  private Optional<Entry> get(Key key) {
    return failpoints.at(Failpoint.ROLLOUT_READ, () -> kv.get(RolloutKeys.ROLLOUTS, key));
  }

  /// The limit is for a process that runs for years.
  private StoredRollout cache(Rollout rollout, Revision revision) {
    if (cache.size() >= MAX_CACHED) {
      cache.clear();
    }
    StoredRollout stored = new StoredRollout(rollout, revision);
    cache.put(stored.id(), stored);
    return stored;
  }

  /// Writes by compare-and-set; empty if another process was faster, or no answer came. R23: each
  /// value has its own nonce, which identifies a write without an answer later.
  Optional<StoredRollout> commit(StoredRollout before, Rollout next) {
    Key key = RolloutKeys.control(before.id());
    Value value = RolloutControlDocument.toValue(next, newNonce());
    ConditionalWrite write =
        new ConditionalWrite.Update(RolloutKeys.ROLLOUTS, key, value, before.revision());
    WriteOutcome outcome =
        failpoints.at(Failpoint.ROLLOUT_WRITE, () -> write.sendUntilKnown(kv, MAX_TRIES));
    return outcome instanceof WriteOutcome.Applied(var revision)
        ? Optional.of(cache(next, revision))
        : Optional.empty();
  }

  WriteOutcome create(Key key, Value value) {
    ConditionalWrite write = new ConditionalWrite.Create(RolloutKeys.ROLLOUTS, key, value);
    return failpoints.at(Failpoint.ROLLOUT_CREATE, () -> write.sendUntilKnown(kv, MAX_TRIES));
  }

  /// R1: claims the next epoch by creating its key; empty if another process claimed it first.
  Optional<DriverClaim> claim(StoredRollout stored, String driver) {
    return claimAfter(0, stored, driver);
  }

  /// R24: `obeyed` is the highest epoch that a node has seen; the store may have lost its key.
  Optional<DriverClaim> claimAfter(long obeyed, StoredRollout stored, String driver) {
    long epoch = Math.max(obeyed, readHighestEpoch(stored)) + 1;
    DriverClaim claim = new DriverClaim(epoch, newNonce());
    Value value =
        Document.builder().text("driver_id", driver).text("nonce", claim.nonce()).build().toValue();
    ConditionalWrite write =
        new ConditionalWrite.Create(
            RolloutKeys.ROLLOUTS, RolloutKeys.epoch(stored.id(), epoch), value);
    WriteOutcome outcome =
        failpoints.at(Failpoint.EPOCH_CLAIM, () -> write.sendUntilKnown(kv, MAX_TRIES));
    return outcome instanceof WriteOutcome.Applied ? Optional.of(claim) : Optional.empty();
  }

  /// Epoch keys are never deleted while the rollout exists.
  private long readHighestEpoch(StoredRollout stored) {
    List<Entry> claims =
        failpoints.at(
            Failpoint.EPOCHS_READ,
            () -> kv.list(RolloutKeys.ROLLOUTS, RolloutKeys.epochs(stored.id())));
    return claims.stream()
        .mapToLong(it -> RolloutKeys.epochOf(stored.id(), it.key()).orElse(0))
        .reduce(stored.rollout().run().claim().epoch(), Math::max);
  }

  /// R2: whether another process has claimed the epoch after this one.
  boolean isSuperseded(RolloutId id, DriverClaim claim) {
    Key next = RolloutKeys.epoch(id, claim.epoch() + 1);
    return failpoints
        .at(Failpoint.EPOCHS_READ, () -> kv.get(RolloutKeys.ROLLOUTS, next))
        .isPresent();
  }

  /// Keys that name no rollout are ignored.
  List<Entry> listDrivers() {
    List<Entry> all =
        failpoints.at(
            Failpoint.DRIVERS_LIST, () -> kv.list(RolloutKeys.ROLLOUTS, RolloutKeys.DRIVERS));
    return all.stream().filter(it -> RolloutKeys.rolloutOf(it.key()).isPresent()).toList();
  }

  WriteOutcome writeHeartbeat(RolloutId id, RolloutDriverHeartbeat heartbeat, Revision expected) {
    ConditionalWrite write =
        new ConditionalWrite.Update(
            RolloutKeys.ROLLOUTS, RolloutKeys.driver(id), heartbeat.toValue(newNonce()), expected);
    return failpoints.at(Failpoint.DRIVER_WRITE, () -> write.sendUntilKnown(kv, MAX_TRIES));
  }

  /// Requests a driver. It always changes the key, so that no process deletes it by an older
  /// revision.
  WriteOutcome requestDriver(RolloutId id, String by) {
    Key key = RolloutKeys.driver(id);
    Value value = RolloutDriverHeartbeat.released(by).toValue(newNonce());
    Optional<Entry> present =
        failpoints.at(Failpoint.DRIVER_READ, () -> kv.get(RolloutKeys.ROLLOUTS, key));
    ConditionalWrite write =
        present.isEmpty()
            ? new ConditionalWrite.Create(RolloutKeys.ROLLOUTS, key, value)
            : new ConditionalWrite.Update(
                RolloutKeys.ROLLOUTS, key, value, present.get().revision());
    return failpoints.at(Failpoint.DRIVER_WRITE, () -> write.sendUntilKnown(kv, MAX_TRIES));
  }

  /// Requests a driver, unless there is a request or a driver already.
  WriteOutcome requestDriverIfNone(RolloutId id, String by) {
    Value value = RolloutDriverHeartbeat.released(by).toValue(newNonce());
    ConditionalWrite write =
        new ConditionalWrite.Create(RolloutKeys.ROLLOUTS, RolloutKeys.driver(id), value);
    return failpoints.at(Failpoint.DRIVER_WRITE, () -> write.sendUntilKnown(kv, MAX_TRIES));
  }

  /// Deletes the driver key, because the rollout needs no driver. The result does not matter: the
  /// next tick tries again.
  void deleteDriver(Entry heartbeat) {
    failpoints.at(
        Failpoint.DRIVER_DELETE,
        () -> kv.delete(RolloutKeys.ROLLOUTS, heartbeat.key(), heartbeat.revision()));
  }
}
