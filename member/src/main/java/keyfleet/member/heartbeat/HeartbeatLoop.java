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
  private final HeartbeatSchedule schedule;
  private final MemberEventLog diary;

  public HeartbeatLoop(
      Membership membership,
      KeystoreWatch watch,
      HeartbeatSchedule schedule,
      MemberEventLog diary) {
    this.membership = membership;
    this.watch = watch;
    this.schedule = schedule;
    this.diary = diary;
  }

  public HeartbeatSchedule schedule() {
    return schedule;
  }

  public HeartbeatResult run() {
    long began = schedule.begin();
    watch.listen(); // first: what changes after the round gives a hint
    HeartbeatResult round = membership.look();
    diary.note(round);
    schedule.over(began, membership.timings(), next(round));
    return round;
  }

  /// As [#run], by a thread that nobody looks after: what nobody foresaw is told, and tried again.
  public void runOrTell() {
    long began = schedule.begin();
    try {
      run();
    } catch (RuntimeException e) {
      diary.note(new RoundFailed(e.toString()));
      schedule.over(began, membership.timings(), HeartbeatDelayPolicy.Urgency.RETRY);
    }
  }

  private HeartbeatDelayPolicy.Urgency next(HeartbeatResult round) {
    if (round.silence() != null) {
      return HeartbeatDelayPolicy.Urgency.RETRY;
    }
    if (membership.isBehind()) {
      return HeartbeatDelayPolicy.Urgency.SOON;
    }
    return round.standing() instanceof NotJoined
        ? HeartbeatDelayPolicy.Urgency.RETRY
        : HeartbeatDelayPolicy.Urgency.REGULAR;
  }

  /// The last thing that is done: the heartbeat is deleted, so that nobody waits for it to expire.
  public void end() {
    try {
      watch.close();
      membership.stop();
    } catch (StoreException e) {
      diary.note(new StoreUnreachable(e.getMessage())); // it expires, then
    }
    diary.left();
  }
}
