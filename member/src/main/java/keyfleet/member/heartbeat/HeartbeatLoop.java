package keyfleet.member.heartbeat;

import keyfleet.member.MembershipState.NotJoined;
import keyfleet.member.heartbeat.HeartbeatSchedule.Urgency;
import keyfleet.member.process.ProcessEvent;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// Runs the rounds of one member. Each round reports what has changed and schedules the next one.
/// For one thread at a time.
public final class HeartbeatLoop {
  private static final String ACTIVITY = "a heartbeat round";

  private final Membership membership;
  private final KeystoreWatch watch;
  private final HeartbeatSchedule schedule;
  private final MemberEventLog eventLog;
  private @Nullable ProcessEvent lastUnexpected;

  public HeartbeatLoop(
      Membership membership,
      KeystoreWatch watch,
      HeartbeatSchedule schedule,
      MemberEventLog eventLog) {
    this.membership = membership;
    this.watch = watch;
    this.schedule = schedule;
    this.eventLog = eventLog;
  }

  public HeartbeatSchedule schedule() {
    return schedule;
  }

  public HeartbeatResult runRound() {
    long startNanos = schedule.beginRound();
    watch.listen(); // first, so that a change after the round gives a hint
    HeartbeatResult result = membership.runDetailedRound();
    eventLog.report(result);
    schedule.endRound(startNanos, membership.timings(), nextUrgency(result));
    return result;
  }

  /// As [#runRound], for the member's own thread: what a round throws unexpectedly, an `Error`
  /// included, is reported once as an event, and the next round tries again.
  public void runRoundOrReport() {
    long startNanos = schedule.beginRound();
    try {
      runRound();
      lastUnexpected = null;
    } catch (RuntimeException | Error e) {
      ProcessEvent failure = ProcessEvent.unexpectedFailure(ACTIVITY, e);
      if (!failure.equals(lastUnexpected)) {
        lastUnexpected = failure;
        eventLog.report(failure);
        eventLog.report(ProcessEvent.stackOf(ACTIVITY, e));
      }
      schedule.endRound(startNanos, membership.timings(), Urgency.RETRY);
    }
  }

  private Urgency nextUrgency(HeartbeatResult result) {
    if (result.storeFailure() != null) {
      return Urgency.RETRY;
    }
    if (membership.isHeartbeatOutdated()) {
      return Urgency.SOON;
    }
    return result.state() instanceof NotJoined ? Urgency.RETRY : Urgency.REGULAR;
  }

  /// Leaves the fleet after the last round: deletes the heartbeat, so that no gate waits for it to
  /// expire.
  public void leave() {
    try {
      watch.close();
      membership.leave();
    } catch (StoreException e) {
      eventLog.report(MemberEventLog.storeUnreachable(e)); // the heartbeat expires then
    }
    eventLog.reportLeft();
  }
}
