package keyfleet.member.heartbeat;

import static keyfleet.member.MemberFixtures.ORDERS;
import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.member.Member;
import keyfleet.member.MemberEvent;
import keyfleet.member.MemberEvent.EpochChanged;
import keyfleet.member.MemberEvent.Joined;
import keyfleet.member.MemberEvent.KeyLoaded;
import keyfleet.member.MemberEvent.KeyUnloaded;
import keyfleet.member.MemberEvent.Left;
import keyfleet.member.MemberEvent.ProviderFailed;
import keyfleet.member.MemberEvent.ProviderRecovered;
import keyfleet.member.MemberEvent.SealingDisabled;
import keyfleet.member.MemberEvent.SealingEnabled;
import keyfleet.member.MemberEvent.Severity;
import keyfleet.member.MemberEvent.StoreRecovered;
import keyfleet.member.MemberEvent.StoreUnreachable;
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

  private List<MemberEvent> since(int count) {
    List<MemberEvent> all = fleet.events();
    return all.subList(count, all.size());
  }

  @Test
  void joiningAndLeaving_areReported() {
    join().close();
    assertEquals(
        List.of(
            new KeyLoaded(v(1), TestFleet.PROVIDER),
            new SealingEnabled(v(1), 1),
            new Joined("api-1", KeyringName.MAIN),
            new Left("api-1", KeyringName.MAIN)),
        fleet.events());
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
    assertEquals(List.of(new StoreUnreachable("no connection")), since(before));
    fleet.advance(Duration.ofSeconds(39));
    assertEquals(2, since(before).size());
    SealingDisabled only = (SealingDisabled) since(before).get(1);
    assertEquals("the store did not answer for the length of a lease", only.reason());
    assertEquals(Severity.WARNING, only.severity());
    fleet.advance(Duration.ofHours(1));
    fleet.engine().reconnect();
    fleet.advance(Duration.ofSeconds(9));
    assertEquals(List.of(new StoreRecovered(), new SealingEnabled(v(1), 1)), since(before + 2));
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
            "cannot seal, can still open: this process cannot prove [v2], which the fleet uses."
                + " Try: give the process access to main v2 in test"),
        since(before).stream().map(MemberEvent::message).toList());
    own.give(2);
    fleet.advance(Duration.ofSeconds(33));
    fleet.rotation().flip();
    fleet.advance(Duration.ofSeconds(2));
    fleet.rotation().complete();
    own.take(1);
    fleet.advance(Duration.ofSeconds(33));
    assertEquals(
        List.of(
            new KeyLoaded(v(2), TestFleet.PROVIDER),
            new SealingEnabled(v(1), 1),
            new EpochChanged(1, 2, v(2)),
            new SealingEnabled(v(2), 2),
            new KeyUnloaded(v(1))),
        since(before + 1).subList(0, 5));
  }

  @Test
  void providerFailure_isReportedOnceAndAtRecovery() {
    join();
    int before = fleet.events().size();
    own.fail();
    fleet.advance(Duration.ofMinutes(5));
    String fault = "test: the test's keys are gone";
    assertEquals(List.of(new ProviderFailed(fault)), since(before));
    own.recover();
    fleet.advance(Duration.ofMinutes(5));
    assertEquals(List.of(new ProviderRecovered(fault)), since(before + 1));
  }

  @Test
  void everyEvent_hasOneLine() {
    List<MemberEvent> all =
        List.of(
            new Joined("a", KeyringName.MAIN),
            new Left("a", KeyringName.MAIN),
            new StoreUnreachable("r"),
            new StoreRecovered(),
            new SealingEnabled(v(1), 1),
            new SealingDisabled("w", "r"),
            new EpochChanged(1, 2, v(2)),
            new KeyLoaded(v(1), "env"),
            new KeyUnloaded(v(1)),
            new ProviderFailed("f"),
            new ProviderRecovered("f"),
            new MemberEvent.RoundFailed("e"));
    all.forEach(event -> assertTrue(event.message().matches("[^\n]{10,}"), event.message()));
    assertEquals(MemberEvent.class.getPermittedSubclasses().length, all.size());
  }
}
