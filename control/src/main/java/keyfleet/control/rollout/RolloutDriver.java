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
  private static final int BEATS_PER_STALE = 3;

  /// What another driver was last seen to have written, and when that was on our clock (R3).
  private record WatchedRevisions(long control, long beat, Duration since) {}

  private final String driver;
  private final RolloutStore shelf;
  private final NodeObserver fleet;
  private final DesiredStateWriter dispatch;
  private final List<NodeId> occupied = new ArrayList<>();
  private DriverClaim own = DriverClaim.NONE;
  private @Nullable StoredRollout known;
  private WatchedRevisions watched = new WatchedRevisions(0, 0, Duration.ZERO);
  private @Nullable Duration beatenAt;
  private long highest;
  private String trouble = "";

  RolloutDriver(
      String driver, RolloutStore shelf, NodeObserver fleet, DesiredStateWriter dispatch) {
    this.driver = driver;
    this.shelf = shelf;
    this.fleet = fleet;
    this.dispatch = dispatch;
  }

  /// Why it does not go on, in words; empty if it does.
  String trouble() {
    return trouble;
  }

  void stuck(String words) {
    trouble = words;
  }

  /// `beat` is the rollout's driver key as it was just listed.
  void tick(StoredRollout found, Entry beat, Duration now) {
    trouble = "";
    if (found.revision().number() < highest) {
      hold(found, "its control record went back from revision " + highest, now);
      return;
    }
    highest = found.revision().number();
    StoredRollout stored = remembered(found);
    if (isHeld(stored.rollout())) {
      dispatch.forget();
    }
    if (Rollout.isEnded(stored.rollout())) {
      finish(stored, beat);
    } else if (leads(stored, beat, now)) {
      drive(stored, beat, now);
    }
  }

  /// Somebody else's change is taken over; our own waits and sightings stay.
  private StoredRollout remembered(StoredRollout found) {
    StoredRollout before = known;
    if (before == null || before.revision().equals(found.revision())) {
      return before == null ? found : before;
    }
    RolloutRun rolloutRun = found.rollout().run();
    boolean ours = rolloutRun.claim().equals(before.rollout().run().claim());
    return ours
        ? new StoredRollout(
            found.rollout().with(rolloutRun.withDriverView(before.rollout().run().driverView())),
            found.revision())
        : found;
  }

  /// Its nodes may not have been told yet; then nobody needs to look at it again.
  private void finish(StoredRollout stored, Entry beat) {
    own = DriverClaim.NONE;
    WriteReport round = dispatch.tell(stored);
    trouble = round.trouble().orElse("");
    if (round.left() == 0) {
      shelf.retire(beat);
    }
  }

  private boolean leads(StoredRollout stored, Entry beat, Duration now) {
    DriverClaim current = stored.rollout().run().claim();
    boolean leading = own.equals(current) && !own.equals(DriverClaim.NONE);
    if (leading && shelf.isSuperseded(stored.id(), own)) {
      stop(now); // R2: at once, whatever becomes of the other
      return false;
    }
    boolean claims =
        leading
            ? Rollout.shouldClaim(stored.rollout())
            : own.epoch() <= current.epoch() && isLeft(stored, beat, now);
    if (claims) {
      shelf.claim(stored, driver).ifPresentOrElse(it -> own = it, () -> stop(now));
    }
    return (leading && !claims) || own.epoch() > current.epoch();
  }

  /// Who loses an epoch waits in full before it tries the next (R1).
  private void stop(Duration now) {
    own = DriverClaim.NONE;
    occupied.clear();
    beatenAt = null;
    watched = new WatchedRevisions(watched.control(), watched.beat(), now);
  }

  /// R3: on our own clock, nothing was written for the stale time; or the driver has let go.
  private boolean isLeft(StoredRollout stored, Entry beat, Duration now) {
    long control = stored.revision().number();
    long beaten = beat.revision().number();
    if (watched.control() != control || watched.beat() != beaten) {
      watched = new WatchedRevisions(control, beaten, now);
    }
    Duration silent = now.minus(watched.since());
    Duration stale = stored.rollout().run().spec().timings().staleAfter();
    return RolloutDriverHeartbeat.read(beat.value()).state()
            == RolloutDriverHeartbeat.State.RELEASED
        || silent.compareTo(stale) >= 0;
  }

  /// Read, decide, commit, and only then command (R11).
  private void drive(StoredRollout stored, Entry beat, Duration now) {
    Rollout rollout = Rollout.next(stored.rollout(), new Claimed(own), now);
    for (NodeId node : occupied) {
      rollout = Rollout.next(rollout, new NodeOccupied(node), now);
    }
    Observed seen = fleet.look(rollout.run());
    if (isOutrun(stored, rollout, seen, now)) {
      return;
    }
    Optional<StoredRollout> committed = commit(stored, Rollout.next(rollout, seen, now));
    if (committed.isPresent()) {
      known = committed.get();
      beat(committed.get(), beat, now);
      WriteReport round = dispatch.tell(committed.get());
      occupied.clear();
      occupied.addAll(round.occupied());
      trouble = Rollout.holdReason(committed.get().rollout()).or(round::trouble).orElse("");
    }
  }

  /// R2, R24: whether nodes have obeyed what is not stored. Then a driver that we do not know of
  /// commands, or the store has lost what it wrote.
  private boolean isOutrun(StoredRollout stored, Rollout rollout, Observed seen, Duration now) {
    long obeyed = seen.reports().stream().mapToLong(it -> it.claim().epoch()).max().orElse(0);
    boolean held = isHeld(stored.rollout());
    if (obeyed > own.epoch()) {
      if (held || rollout instanceof Rollout.Aborting) {
        shelf.claimAfter(obeyed, stored, driver).ifPresentOrElse(it -> own = it, () -> stop(now));
      } else {
        hold(stored, "a node has obeyed a later lead than " + own.epoch(), now);
      }
      return true;
    }
    if (!held && Rollout.hasLostDecisions(rollout, seen.reports())) {
      hold(stored, "a node has obeyed what was never decided", now);
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
    trouble = why;
    Rollout held = Rollout.next(found.rollout(), new DecisionsLost(), now);
    Optional<StoredRollout> committed =
        Rollout.isEnded(held) ? Optional.empty() : shelf.commit(found, held);
    if (committed.isPresent()) {
      known = committed.get();
      highest = committed.get().revision().number();
    } else {
      stop(now);
    }
  }

  private Optional<StoredRollout> commit(StoredRollout stored, Rollout next) {
    boolean stands = RolloutControlDocument.isSame(stored.rollout(), next);
    return stands
        ? Optional.of(new StoredRollout(next, stored.revision()))
        : shelf.commit(stored, next);
  }

  private void beat(StoredRollout stored, Entry beat, Duration now) {
    Duration pause =
        stored.rollout().run().spec().timings().staleAfter().dividedBy(BEATS_PER_STALE);
    Duration last = beatenAt;
    if (last == null || now.minus(last).compareTo(pause) >= 0) {
      RolloutDriverHeartbeat driven =
          new RolloutDriverHeartbeat(driver, RolloutDriverHeartbeat.State.DRIVEN);
      shelf.beat(stored.id(), driven, beat.revision());
      beatenAt = now;
    }
  }

  /// Hands over at once.
  void release() {
    StoredRollout last = known;
    boolean leading = last != null && last.rollout().run().claim().equals(own);
    if (last != null && leading && !Rollout.isEnded(last.rollout())) {
      shelf.call(last.id(), driver);
    }
    own = DriverClaim.NONE;
  }
}
