package keyfleet.member.heartbeat;

import keyfleet.member.MemberEvent.RoundFailed;
import keyfleet.member.MemberEvent.StoreUnreachable;
import keyfleet.member.MembershipState.NotJoined;
import keyfleet.store.StoreException;

/// The rounds of one member: each says what is new, and sets when the next one is due. For one
/// thread at a time.
public final class HeartbeatLoop {
  private final Membership membership;
  private final KeystoreWatch watch;
  private final HeartbeatSchedule heartbeatSchedule;
  private final MemberEventLog eventLog;

  public HeartbeatLoop(
      Membership membership,
      KeystoreWatch watch,
      HeartbeatSchedule heartbeatSchedule,
      MemberEventLog eventLog) {
    this.membership = membership;
    this.watch = watch;
    this.heartbeatSchedule = heartbeatSchedule;
    this.eventLog = eventLog;
  }

  public HeartbeatSchedule heartbeatSchedule() {
    return heartbeatSchedule;
  }

  public HeartbeatResult runRound() {
    long began = heartbeatSchedule.beginRound();
    watch.listen(); // first: what changes after the round gives a hint
    HeartbeatResult result = membership.runDetailedRound();
    eventLog.report(result);
    heartbeatSchedule.endRound(began, membership.timings(), nextUrgency(result));
    return result;
  }

  /// As [#runRound], by a thread that nobody looks after: what nobody foresaw is told, and tried
  /// again.
  public void runRoundOrReport() {
    long began = heartbeatSchedule.beginRound();
    try {
      runRound();
    } catch (RuntimeException e) {
      eventLog.report(new RoundFailed(e.toString()));
      heartbeatSchedule.endRound(began, membership.timings(), HeartbeatDelayPolicy.Urgency.RETRY);
    }
  }

  private HeartbeatDelayPolicy.Urgency nextUrgency(HeartbeatResult result) {
    if (result.storeFailure() != null) {
      return HeartbeatDelayPolicy.Urgency.RETRY;
    }
    if (membership.isHeartbeatOutdated()) {
      return HeartbeatDelayPolicy.Urgency.SOON;
    }
    return result.state() instanceof NotJoined
        ? HeartbeatDelayPolicy.Urgency.RETRY
        : HeartbeatDelayPolicy.Urgency.REGULAR;
  }

  /// The last thing that is done: the heartbeat is deleted, so that nobody waits for it to expire.
  public void leave() {
    try {
      watch.close();
      membership.leave();
    } catch (StoreException e) {
      eventLog.report(new StoreUnreachable(e.getMessage())); // it expires, then
    }
    eventLog.reportLeft();
  }
}
