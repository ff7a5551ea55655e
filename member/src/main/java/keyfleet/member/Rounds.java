package keyfleet.member;

import keyfleet.member.MemberEvent.RoundBroke;
import keyfleet.member.MemberEvent.StoreLost;
import keyfleet.member.Standing.Outside;
import keyfleet.store.StoreException;

/// The rounds of one member: each says what is new, and sets when the next one is due. For one
/// thread at a time.
final class Rounds {
  private final Membership membership;
  private final KeystoreWatch watch;
  private final Schedule schedule;
  private final Diary diary;

  Rounds(Membership membership, KeystoreWatch watch, Schedule schedule, Diary diary) {
    this.membership = membership;
    this.watch = watch;
    this.schedule = schedule;
    this.diary = diary;
  }

  Schedule schedule() {
    return schedule;
  }

  Round run() {
    long began = schedule.begin();
    watch.listen(); // first: what changes after the round gives a hint
    Round round = membership.look();
    diary.note(round);
    schedule.over(began, membership.timings(), next(round));
    return round;
  }

  /// As [#run], by a thread that nobody looks after: what nobody foresaw is told, and tried again.
  void runOrTell() {
    long began = schedule.begin();
    try {
      run();
    } catch (RuntimeException e) {
      diary.note(new RoundBroke(e.toString()));
      schedule.over(began, membership.timings(), Pace.Next.RETRY);
    }
  }

  private Pace.Next next(Round round) {
    if (round.silence() != null) {
      return Pace.Next.RETRY;
    }
    if (membership.isBehind()) {
      return Pace.Next.SOON;
    }
    return round.standing() instanceof Outside ? Pace.Next.RETRY : Pace.Next.REGULAR;
  }

  /// The last thing that is done: the heartbeat is deleted, so that nobody waits for it to expire.
  void end() {
    try {
      watch.close();
      membership.stop();
    } catch (StoreException e) {
      diary.note(new StoreLost(e.getMessage())); // it expires, then
    }
    diary.left();
  }
}
