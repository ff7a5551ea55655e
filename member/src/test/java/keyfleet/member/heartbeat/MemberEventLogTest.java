package keyfleet.member.heartbeat;

import static keyfleet.member.MemberFixtures.ORDERS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import keyfleet.member.Member;
import keyfleet.member.TestEngine;
import keyfleet.member.TestFleet;
import keyfleet.member.TestKeyProvider;
import org.junit.jupiter.api.Test;

/// Each event is reported once, in order.
class MemberEventLogTest {
  private final TestFleet fleet = TestFleet.ofVersion1();
  private final TestKeyProvider own = fleet.keysOf(1);

  private Member join() {
    return fleet
        .memberWith(own, "api-1")
        .collection(TestEngine.NAME, fleet.engine(), ORDERS)
        .join();
  }

  /// The events since the first `count`.
  private List<String> since(int count) {
    return fleet.events().stream()
        .skip(count)
        .map(it -> it.severity() + " " + it.message())
        .toList();
  }

  @Test
  void joiningAndLeaving_areReported() {
    join().close();
    assertEquals(
        List.of(
            "INFO loaded v1 from test",
            "INFO sealing under v1 in epoch 1",
            "INFO joined the fleet of keyring main as api-1",
            "INFO left the fleet of keyring main as api-1"),
        since(0));
  }

  @Test
  void quietHour_reportsNothing() {
    join();
    int before = fleet.events().size();
    fleet.advance(Duration.ofHours(1));
    assertEquals(List.of(), since(before));
  }

  @Test
  void outage_isReportedAtItsStartAtTheLeaseEndAndAtRecovery() {
    join();
    int before = fleet.events().size();
    fleet.engine().disconnect();
    fleet.advance(Duration.ofSeconds(60));
    assertEquals(List.of("WARN the store does not answer: no connection"), since(before));
    fleet.advance(Duration.ofSeconds(39));
    assertEquals(
        List.of(
            "WARN cannot seal, can still open: the store did not answer for the length of a lease."
                + " Try: bring the store back; sealing then resumes by itself"),
        since(before + 1));
    fleet.advance(Duration.ofHours(1));
    fleet.engine().reconnect();
    fleet.advance(Duration.ofSeconds(9));
    assertEquals(
        List.of("INFO the store answers again", "INFO sealing under v1 in epoch 1"),
        since(before + 2));
  }

  @Test
  void rotation_isReportedStepByStep() {
    join();
    int before = fleet.events().size();
    fleet.rotation().announce(2);
    fleet.rotation().stage(2);
    fleet.advance(Duration.ofSeconds(2));
    assertEquals(
        List.of(
            "WARN cannot seal, can still open: this process cannot prove [v2], which the fleet uses."
                + " Try: give the process access to main v2 in test"),
        since(before));
    own.give(2);
    fleet.advance(Duration.ofSeconds(33));
    fleet.rotation().flip();
    fleet.advance(Duration.ofSeconds(2));
    fleet.rotation().complete();
    own.take(1);
    fleet.advance(Duration.ofSeconds(33));
    assertEquals(
        List.of(
            "INFO loaded v2 from test",
            "INFO sealing under v1 in epoch 1",
            "INFO the keystore went from epoch 1 to 2: v2 is active",
            "INFO sealing under v2 in epoch 2",
            "INFO v1 is no longer loaded"),
        since(before + 1).subList(0, 5));
  }

  @Test
  void wrongBytes_areAWarningOnce() {
    join();
    int before = fleet.events().size();
    fleet.rotation().announce(2);
    own.giveWrong(2);
    fleet.advance(Duration.ofMinutes(5));
    assertEquals(
        List.of(
            "INFO loaded v2 from test",
            "WARN the key of v2 that this process has loaded is not the fleet's: it has other bytes."
                + " Try: remove its key of v2, wait for a heartbeat, then place the key of v2 that"
                + " the rest of the fleet has (provider test)"),
        since(before));
  }

  @Test
  void providerFailure_isReportedOnceAndAtRecovery() {
    join();
    int before = fleet.events().size();
    own.fail();
    fleet.advance(Duration.ofMinutes(5));
    String fault = "test: the test's keys are gone";
    assertEquals(List.of("WARN a key provider failed: " + fault), since(before));
    own.recover();
    fleet.advance(Duration.ofMinutes(5));
    assertEquals(
        List.of("INFO a key provider works again; its failure was: " + fault), since(before + 1));
  }
}
