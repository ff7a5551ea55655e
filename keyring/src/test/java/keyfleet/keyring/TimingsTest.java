package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.heartbeat;
import static keyfleet.keyring.KeyringFixtures.roster;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimingsTest {
  private static final Duration LEASE = Duration.ofSeconds(90);

  @ParameterizedTest
  @CsvSource({
    "31, 60, 90, 120, 62", // fresh is less than two beats
    "30, 90, 90, 120, 60", // a process could seal, unseen, when it is no longer fresh
    "30, 60, 120, 120, 60", // a process could leave the roster while it may still seal
    "30, 60, 90, 120, 59", // a driver that misses one heartbeat would lose its rotation
    "0, 60, 90, 120, 60"
  })
  void timingsOutOfOrder_areRefused(int beat, int fresh, int lease, int expire, int adopt) {
    assertThrows(
        IllegalArgumentException.class,
        () -> new Timings(s(beat), s(fresh), s(lease), s(expire), s(adopt)));
  }

  private static Duration s(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  @Test
  void freshness_endsAfterTheWindow() {
    Roster roster =
        roster(heartbeat("at", 60, 1), heartbeat("past", 61, 1), heartbeat("future", -5, 1));
    assertEquals(2, roster.fresh(s(60)).size());
    assertEquals("past", roster.stale(s(60)).getFirst().instance());
  }

  @Test
  void lease_isCountedFromTheStartOfTheRoundTrip() {
    WriteLease lease = new WriteLease(1_000, 1);
    assertTrue(lease.isHeld(1_000 + LEASE.toNanos() - 1, LEASE));
    assertFalse(lease.isHeld(1_000 + LEASE.toNanos(), LEASE));
  }

  /// `nanoTime` may be negative and wrap.
  @Test
  void lease_survivesAClockThatWraps() {
    WriteLease lease = new WriteLease(Long.MAX_VALUE - 10, 1);
    assertTrue(lease.isHeld(Long.MIN_VALUE + 10, LEASE));
  }

  @Test
  void settling_needsEveryProcessInTheEpochOrTheWholeLease() {
    Roster old = roster(heartbeat("api-1", 10, 1));
    assertFalse(WriteLease.isSettled(old, 2, s(89), LEASE));
    assertTrue(WriteLease.isSettled(old, 2, s(90), LEASE));
    assertTrue(WriteLease.isSettled(old, 1, s(0), LEASE));
    assertFalse(WriteLease.isSettled(roster(), 1, s(0), LEASE), "an empty roster proves nothing");
  }
}
