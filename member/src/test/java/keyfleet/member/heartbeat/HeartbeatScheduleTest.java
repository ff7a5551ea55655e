package keyfleet.member.heartbeat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.keyring.Timings;
import keyfleet.member.heartbeat.HeartbeatSchedule.Urgency;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeartbeatScheduleTest {
  private static final long SEED = 20261116;
  private static final Timings TIMINGS = Timings.DEFAULT;

  /// In milliseconds, for a heartbeat of 30 s.
  @ParameterizedTest
  @CsvSource({"REGULAR, 27000, 33000", "RETRY, 6750, 8250", "SOON, 0, 1000"})
  void delays_coverExactlyTheirRange(Urgency urgency, long least, long most) {
    long shortest = Long.MAX_VALUE;
    long longest = 0;
    for (int i = 0; i < 10_000; i++) {
      long pause = schedule.delay(TIMINGS, urgency).toMillis();
      shortest = Math.min(shortest, pause);
      longest = Math.max(longest, pause);
    }
    long slack = (most - least) / 100;
    String seen = "seed %d: %d to %d".formatted(SEED, shortest, longest);
    assertTrue(shortest >= least && shortest <= least + slack, seen);
    assertTrue(longest <= most && longest >= most - slack, seen);
  }

  private final AtomicLong nanos = new AtomicLong(1_000);
  private final HeartbeatSchedule schedule = new HeartbeatSchedule(nanos::get, new Random(SEED));

  private void advance(Duration duration) {
    nanos.addAndGet(duration.toNanos());
  }

  private Duration timeLeft() {
    return Duration.ofNanos(schedule.nanosUntilDue());
  }

  private void assertWithin(long leastMillis, long mostMillis) {
    long left = timeLeft().toMillis();
    assertTrue(left >= leastMillis && left <= mostMillis, "left: " + left);
  }

  @Test
  void firstRound_isDueAtOnce() {
    assertEquals(Duration.ZERO, timeLeft());
  }

  @Test
  void pause_countsFromTheBeginningOfTheRound() {
    long startNanos = schedule.beginRound();
    advance(Duration.ofSeconds(10));
    schedule.endRound(startNanos, TIMINGS, Urgency.REGULAR);
    assertWithin(17_000, 23_000);
  }

  @Test
  void roundLongerThanThePause_isFollowedByAShortRest() {
    long startNanos = schedule.beginRound();
    advance(Duration.ofSeconds(100));
    schedule.endRound(startNanos, TIMINGS, Urgency.REGULAR);
    assertWithin(2_700, 3_300);
  }

  @Test
  void hintBetweenRounds_bringsTheNextForward() {
    schedule.endRound(schedule.beginRound(), TIMINGS, Urgency.REGULAR);
    advance(Duration.ofSeconds(5));
    schedule.bringForward();
    assertWithin(0, 1_000);
    schedule.bringForward();
    assertWithin(0, 1_000);
  }

  /// The round may have read the keystore before it changed.
  @Test
  void hintDuringARound_makesTheNextRoundDueSoon() {
    long startNanos = schedule.beginRound();
    schedule.bringForward();
    schedule.endRound(startNanos, TIMINGS, Urgency.REGULAR);
    assertWithin(0, 1_000);
    schedule.endRound(schedule.beginRound(), TIMINGS, Urgency.REGULAR);
    assertWithin(27_000, 33_000);
  }

  @Test
  void hintWhenARoundIsDueAnyway_changesNothing() {
    schedule.endRound(schedule.beginRound(), TIMINGS, Urgency.REGULAR);
    advance(Duration.ofSeconds(60));
    Duration before = timeLeft();
    schedule.bringForward();
    assertEquals(before, timeLeft());
  }

  @Test
  void stoppedSchedule_endsTheWait() throws InterruptedException {
    schedule.endRound(schedule.beginRound(), TIMINGS, Urgency.REGULAR);
    Thread ending = Thread.ofPlatform().start(schedule::stop);
    assertEquals(false, schedule.awaitDue());
    ending.join();
  }
}
