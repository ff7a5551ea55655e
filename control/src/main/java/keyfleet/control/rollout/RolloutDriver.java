package keyfleet.control.rollout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import keyfleet.control.rollout.DesiredStateWriter.WriteReport;
import keyfleet.control.rollout.RolloutStore.StoredRollout;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutEvent.Claimed;
import keyfleet.rollout.controller.RolloutEvent.DecisionsLost;
import keyfleet.rollout.controller.RolloutEvent.NodeOccupied;
import keyfleet.rollout.controller.RolloutEvent.Observed;
import keyfleet.rollout.controller.RolloutRun;
import keyfleet.rollout.controller.StopCause;
import keyfleet.store.Entry;
import keyfleet.wire.RolloutControlDocument;
import keyfleet.wire.RolloutDriverHeartbeat;
import org.jspecify.annotations.Nullable;

/// Drives one rollout, or watches the driver that does. Its memory may be lost at any moment; all
/// that matters is stored.
final class RolloutDriver {
  /// How many heartbeats a driver writes in the time after which it counts as silent.
  private static final int HEARTBEATS_PER_STALE = 3;

  /// The last revisions seen of another driver's keys, and when, by this host's clock (R3).
  private record WatchedRevisions(long controlRevision, long heartbeat, Duration since) {}

  private final String driver;
  private final RolloutStore store;
  private final NodeObserver observer;
  private final DesiredStateWriter writer;
  private final List<NodeId> occupied = new ArrayList<>();
  private DriverClaim ownClaim = DriverClaim.NONE;
  private @Nullable StoredRollout lastStored;
  private WatchedRevisions watched = new WatchedRevisions(0, 0, Duration.ZERO);
  private @Nullable Duration lastHeartbeatAt;
  private long highestRevision;
  private String problem = "";

  RolloutDriver(
      String driver, RolloutStore store, NodeObserver observer, DesiredStateWriter writer) {
    this.driver = driver;
    this.store = store;
    this.observer = observer;
    this.writer = writer;
  }

  /// The reason why the rollout does not continue, for people; empty if it does.
  String problem() {
    return problem;
  }

  void setProblem(String text) {
    problem = text;
  }

  /// `heartbeat` is the rollout's driver key as just listed.
  void tick(StoredRollout found, Entry heartbeat, Duration now) {
    problem = "";
    if (found.revision().number() < highestRevision) {
      hold(
          found,
          "its control record went back from revision %d to %d: the store has lost decisions"
              .formatted(highestRevision, found.revision().number()),
          now);
      return;
    }
    highestRevision = found.revision().number();
    StoredRollout stored = mergeOwnMemory(found);
    if (isHeld(stored.rollout())) {
      writer.forget();
    }
    if (Rollout.isEnded(stored.rollout())) {
      finish(stored, heartbeat);
    } else if (ensureClaim(stored, heartbeat, now)) {
      drive(stored, heartbeat, now);
    }
  }

  /// Adopts another process's change and keeps this driver's own memory.
  private StoredRollout mergeOwnMemory(StoredRollout found) {
    StoredRollout before = lastStored;
    if (before == null || before.revision().equals(found.revision())) {
      return before == null ? found : before;
    }
    RolloutRun run = found.rollout().run();
    boolean isOurs = run.claim().equals(before.rollout().run().claim());
    return isOurs
        ? new StoredRollout(
            found.rollout().with(run.withDriverView(before.rollout().run().driverView())),
            found.revision())
        : found;
  }

  /// Writes the last desired states of an ended rollout. After that it needs no driver.
  private void finish(StoredRollout stored, Entry heartbeat) {
    ownClaim = DriverClaim.NONE;
    WriteReport report = writer.writeDesired(stored);
    problem = report.problem().orElse("");
    if (report.remaining() == 0) {
      store.deleteDriver(heartbeat);
    }
  }

  /// Whether this process may drive now. It claims the rollout if it has to.
  private boolean ensureClaim(StoredRollout stored, Entry heartbeat, Duration now) {
    DriverClaim current = stored.rollout().run().claim();
    boolean isDriving = ownClaim.equals(current) && !ownClaim.equals(DriverClaim.NONE);
    if (isDriving && store.isSuperseded(stored.id(), ownClaim)) {
      stopDriving(now); // R2: immediately, whatever the other driver does
      return false;
    }
    boolean shouldClaim =
        isDriving
            ? Rollout.shouldClaim(stored.rollout())
            : ownClaim.epoch() <= current.epoch() && isAbandoned(stored, heartbeat, now);
    if (shouldClaim) {
      store.claim(stored, driver).ifPresentOrElse(it -> ownClaim = it, () -> stopDriving(now));
    }
    return (isDriving && !shouldClaim) || ownClaim.epoch() > current.epoch();
  }

  /// A driver that loses an epoch waits the full time before it tries the next (R1).
  private void stopDriving(Duration now) {
    ownClaim = DriverClaim.NONE;
    occupied.clear();
    lastHeartbeatAt = null;
    watched = new WatchedRevisions(watched.controlRevision(), watched.heartbeat(), now);
  }

  /// R3: by this host's clock, the driver wrote nothing for the stale time; or it has released the
  /// rollout.
  private boolean isAbandoned(StoredRollout stored, Entry heartbeat, Duration now) {
    long controlRevision = stored.revision().number();
    long heartbeatRevision = heartbeat.revision().number();
    if (watched.controlRevision() != controlRevision || watched.heartbeat() != heartbeatRevision) {
      watched = new WatchedRevisions(controlRevision, heartbeatRevision, now);
    }
    Duration silence = now.minus(watched.since());
    Duration stale = stored.rollout().run().spec().timings().staleAfter();
    return RolloutDriverHeartbeat.parse(heartbeat.value()).state()
            == RolloutDriverHeartbeat.State.RELEASED
        || silence.compareTo(stale) >= 0;
  }

  /// Read, decide, commit, and only then command (R11).
  private void drive(StoredRollout stored, Entry heartbeat, Duration now) {
    Rollout rollout = Rollout.next(stored.rollout(), new Claimed(ownClaim), now);
    for (NodeId node : occupied) {
      rollout = Rollout.next(rollout, new NodeOccupied(node), now);
    }
    Observed observed = observer.observe(rollout.run());
    if (holdIfNodesAreAhead(stored, rollout, observed, now)) {
      return;
    }
    Optional<StoredRollout> committed = commit(stored, Rollout.next(rollout, observed, now));
    if (committed.isPresent()) {
      lastStored = committed.get();
      writeHeartbeatIfDue(committed.get(), heartbeat, now);
      WriteReport report = writer.writeDesired(committed.get());
      occupied.clear();
      occupied.addAll(report.occupied());
      problem = Rollout.holdReason(committed.get().rollout()).or(report::problem).orElse("");
    }
  }

  /// R2, R24: holds the rollout if nodes have obeyed what is not stored. Then an unknown driver
  /// commands them, or the store has lost decisions.
  private boolean holdIfNodesAreAhead(
      StoredRollout stored, Rollout rollout, Observed observed, Duration now) {
    long obeyed = observed.reports().stream().mapToLong(it -> it.claim().epoch()).max().orElse(0);
    boolean isHeld = isHeld(stored.rollout());
    if (obeyed > ownClaim.epoch()) {
      if (isHeld || rollout instanceof Rollout.Aborting) {
        store
            .claimAfter(obeyed, stored, driver)
            .ifPresentOrElse(it -> ownClaim = it, () -> stopDriving(now));
      } else {
        hold(
            stored,
            "a node has obeyed epoch %d, after epoch %d of this driver: the store has lost decisions"
                .formatted(obeyed, ownClaim.epoch()),
            now);
      }
      return true;
    }
    if (!isHeld && Rollout.hasLostDecisions(rollout, observed.reports())) {
      hold(
          stored,
          "a node has obeyed a decision that is not stored: the store has lost decisions",
          now);
      return true;
    }
    return false;
  }

  private static boolean isHeld(Rollout rollout) {
    return rollout instanceof Rollout.Paused(_, var stopCause) && stopCause == StopCause.STORE_LOST;
  }

  /// R24: holds the rollout by compare-and-set, so that each driver and each reader sees it. If
  /// only this read was stale, the write fails, and nothing has to be held.
  private void hold(StoredRollout found, String why, Duration now) {
    problem = why;
    Rollout held = Rollout.next(found.rollout(), new DecisionsLost(), now);
    Optional<StoredRollout> committed =
        Rollout.isEnded(held) ? Optional.empty() : store.commit(found, held);
    if (committed.isPresent()) {
      lastStored = committed.get();
      highestRevision = committed.get().revision().number();
    } else {
      stopDriving(now);
    }
  }

  private Optional<StoredRollout> commit(StoredRollout stored, Rollout next) {
    boolean isUnchanged = RolloutControlDocument.isSame(stored.rollout(), next);
    return isUnchanged
        ? Optional.of(new StoredRollout(next, stored.revision()))
        : store.commit(stored, next);
  }

  private void writeHeartbeatIfDue(StoredRollout stored, Entry heartbeat, Duration now) {
    Duration interval =
        stored.rollout().run().spec().timings().staleAfter().dividedBy(HEARTBEATS_PER_STALE);
    Duration last = lastHeartbeatAt;
    if (last == null || now.minus(last).compareTo(interval) >= 0) {
      RolloutDriverHeartbeat next =
          new RolloutDriverHeartbeat(driver, RolloutDriverHeartbeat.State.DRIVEN);
      store.writeHeartbeat(stored.id(), next, heartbeat.revision());
      lastHeartbeatAt = now;
    }
  }

  /// Releases the rollout, so that another driver can claim it immediately.
  void release() {
    StoredRollout last = lastStored;
    boolean isDriving = last != null && last.rollout().run().claim().equals(ownClaim);
    if (last != null && isDriving && !Rollout.isEnded(last.rollout())) {
      store.requestDriver(last.id(), driver);
    }
    ownClaim = DriverClaim.NONE;
  }
}
