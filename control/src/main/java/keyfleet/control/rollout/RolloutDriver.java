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

/// One driver's hand on one rollout: it watches another that drives it, or drives it itself. What
/// it remembers may be lost at any moment; all that matters is stored.
final class RolloutDriver {
  /// How often a driver beats before others take it for silent.
  private static final int HEARTBEATS_PER_STALE = 3;

  /// What another driver was last seen to have written, and when that was on our clock (R3).
  private record WatchedRevisions(long controlRevision, long heartbeat, Duration since) {}

  private final String driver;
  private final RolloutStore store;
  private final NodeObserver observer;
  private final DesiredStateWriter writer;
  private final List<NodeId> occupied = new ArrayList<>();
  private DriverClaim own = DriverClaim.NONE;
  private @Nullable StoredRollout lastStored;
  private WatchedRevisions watchedRevisions = new WatchedRevisions(0, 0, Duration.ZERO);
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

  /// Why it does not go on, in words; empty if it does.
  String problem() {
    return problem;
  }

  void setProblem(String text) {
    problem = text;
  }

  /// `beat` is the rollout's driver key as it was just listed.
  void tick(StoredRollout found, Entry heartbeat, Duration now) {
    problem = "";
    if (found.revision().number() < highestRevision) {
      hold(found, "its control record went back from revision " + highestRevision, now);
      return;
    }
    highestRevision = found.revision().number();
    StoredRollout storedRollout = mergeOwnMemory(found);
    if (isHeld(storedRollout.rollout())) {
      writer.forget();
    }
    if (Rollout.isEnded(storedRollout.rollout())) {
      finish(storedRollout, heartbeat);
    } else if (ensureLead(storedRollout, heartbeat, now)) {
      drive(storedRollout, heartbeat, now);
    }
  }

  /// Somebody else's change is taken over; our own waits and sightings stay.
  private StoredRollout mergeOwnMemory(StoredRollout found) {
    StoredRollout before = lastStored;
    if (before == null || before.revision().equals(found.revision())) {
      return before == null ? found : before;
    }
    RolloutRun rolloutRun = found.rollout().run();
    boolean isOurs = rolloutRun.claim().equals(before.rollout().run().claim());
    return isOurs
        ? new StoredRollout(
            found.rollout().with(rolloutRun.withDriverView(before.rollout().run().driverView())),
            found.revision())
        : found;
  }

  /// Its nodes may not have been told yet; then nobody needs to look at it again.
  private void finish(StoredRollout storedRollout, Entry heartbeat) {
    own = DriverClaim.NONE;
    WriteReport report = writer.writeDesired(storedRollout);
    problem = report.problem().orElse("");
    if (report.remaining() == 0) {
      store.retire(heartbeat);
    }
  }

  private boolean ensureLead(StoredRollout storedRollout, Entry heartbeat, Duration now) {
    DriverClaim current = storedRollout.rollout().run().claim();
    boolean leading = own.equals(current) && !own.equals(DriverClaim.NONE);
    if (leading && store.isSuperseded(storedRollout.id(), own)) {
      stop(now); // R2: at once, whatever becomes of the other
      return false;
    }
    boolean claims =
        leading
            ? Rollout.shouldClaim(storedRollout.rollout())
            : own.epoch() <= current.epoch() && isAbandoned(storedRollout, heartbeat, now);
    if (claims) {
      store.claim(storedRollout, driver).ifPresentOrElse(it -> own = it, () -> stop(now));
    }
    return (leading && !claims) || own.epoch() > current.epoch();
  }

  /// Who loses an epoch waits in full before it tries the next (R1).
  private void stop(Duration now) {
    own = DriverClaim.NONE;
    occupied.clear();
    lastHeartbeatAt = null;
    watchedRevisions =
        new WatchedRevisions(watchedRevisions.controlRevision(), watchedRevisions.heartbeat(), now);
  }

  /// R3: on our own clock, nothing was written for the stale time; or the driver has let go.
  private boolean isAbandoned(StoredRollout storedRollout, Entry heartbeat, Duration now) {
    long controlRevision = storedRollout.revision().number();
    long heartbeatRevision = heartbeat.revision().number();
    if (watchedRevisions.controlRevision() != controlRevision
        || watchedRevisions.heartbeat() != heartbeatRevision) {
      watchedRevisions = new WatchedRevisions(controlRevision, heartbeatRevision, now);
    }
    Duration silence = now.minus(watchedRevisions.since());
    Duration stale = storedRollout.rollout().run().spec().timings().staleAfter();
    return RolloutDriverHeartbeat.parse(heartbeat.value()).state()
            == RolloutDriverHeartbeat.State.RELEASED
        || silence.compareTo(stale) >= 0;
  }

  /// Read, decide, commit, and only then command (R11).
  private void drive(StoredRollout storedRollout, Entry heartbeat, Duration now) {
    Rollout rollout = Rollout.next(storedRollout.rollout(), new Claimed(own), now);
    for (NodeId node : occupied) {
      rollout = Rollout.next(rollout, new NodeOccupied(node), now);
    }
    Observed observed = observer.observe(rollout.run());
    if (holdIfOutrun(storedRollout, rollout, observed, now)) {
      return;
    }
    Optional<StoredRollout> committed = commit(storedRollout, Rollout.next(rollout, observed, now));
    if (committed.isPresent()) {
      lastStored = committed.get();
      writeHeartbeatIfDue(committed.get(), heartbeat, now);
      WriteReport report = writer.writeDesired(committed.get());
      occupied.clear();
      occupied.addAll(report.occupied());
      problem = Rollout.holdReason(committed.get().rollout()).or(report::problem).orElse("");
    }
  }

  /// R2, R24: whether nodes have obeyed what is not stored. Then a driver that we do not know of
  /// commands, or the store has lost what it wrote.
  private boolean holdIfOutrun(
      StoredRollout storedRollout, Rollout rollout, Observed observed, Duration now) {
    long obeyed = observed.reports().stream().mapToLong(it -> it.claim().epoch()).max().orElse(0);
    boolean held = isHeld(storedRollout.rollout());
    if (obeyed > own.epoch()) {
      if (held || rollout instanceof Rollout.Aborting) {
        store
            .claimAfter(obeyed, storedRollout, driver)
            .ifPresentOrElse(it -> own = it, () -> stop(now));
      } else {
        hold(storedRollout, "a node has obeyed a later lead than " + own.epoch(), now);
      }
      return true;
    }
    if (!held && Rollout.hasLostDecisions(rollout, observed.reports())) {
      hold(storedRollout, "a node has obeyed what was never decided", now);
      return true;
    }
    return false;
  }

  private static boolean isHeld(Rollout rollout) {
    return rollout instanceof Rollout.Paused(_, var stopCause) && stopCause == StopCause.STORE_LOST;
  }

  /// R24: by compare-and-set, so that every driver and every reader finds it. Should the store have
  /// shown us the past alone, the write fails, and there is nothing to hold.
  private void hold(StoredRollout found, String why, Duration now) {
    problem = why;
    Rollout held = Rollout.next(found.rollout(), new DecisionsLost(), now);
    Optional<StoredRollout> committed =
        Rollout.isEnded(held) ? Optional.empty() : store.commit(found, held);
    if (committed.isPresent()) {
      lastStored = committed.get();
      highestRevision = committed.get().revision().number();
    } else {
      stop(now);
    }
  }

  private Optional<StoredRollout> commit(StoredRollout storedRollout, Rollout next) {
    boolean isUnchanged = RolloutControlDocument.isSame(storedRollout.rollout(), next);
    return isUnchanged
        ? Optional.of(new StoredRollout(next, storedRollout.revision()))
        : store.commit(storedRollout, next);
  }

  private void writeHeartbeatIfDue(StoredRollout storedRollout, Entry heartbeat, Duration now) {
    Duration interval =
        storedRollout.rollout().run().spec().timings().staleAfter().dividedBy(HEARTBEATS_PER_STALE);
    Duration last = lastHeartbeatAt;
    if (last == null || now.minus(last).compareTo(interval) >= 0) {
      RolloutDriverHeartbeat next =
          new RolloutDriverHeartbeat(driver, RolloutDriverHeartbeat.State.DRIVEN);
      store.writeHeartbeat(storedRollout.id(), next, heartbeat.revision());
      lastHeartbeatAt = now;
    }
  }

  /// Hands over at once.
  void release() {
    StoredRollout last = lastStored;
    boolean leading = last != null && last.rollout().run().claim().equals(own);
    if (last != null && leading && !Rollout.isEnded(last.rollout())) {
      store.requestDriver(last.id(), driver);
    }
    own = DriverClaim.NONE;
  }
}
