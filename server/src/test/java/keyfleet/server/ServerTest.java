package keyfleet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Rotation;
import keyfleet.member.MemberException;
import keyfleet.server.ServerFixture.Reply;
import keyfleet.store.LossyKv;
import keyfleet.store.StoreRefusedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTest {
  @TempDir Path folder;
  private ServerFixture rig;

  @BeforeEach
  void open() {
    rig = new ServerFixture(folder);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void emptyKeyring_beatsAndIsAliveButNotReady() {
    rig.server("solo", Role.WORKER).start();
    assertEquals(new Reply(200, "ok\n"), rig.ask("GET", "/livez"));
    Reply ready = rig.ask("GET", "/readyz");
    assertEquals(503, ready.status());
    assertTrue(ready.body().contains("Try: keyfleet kek announce --version=1"), ready.body());
  }

  @Test
  void announcedKeyring_isReadyAndShowsTheFleet() {
    rig.announce(1);
    rig.server("solo", Role.WORKER, Role.SCHEDULER).start();
    assertEquals(new Reply(200, "[+]member admitted in epoch 1\n"), rig.ask("GET", "/readyz"));
    rig.await("a picture", () -> rig.ask("GET", "/metrics").body().contains("keyfleet_node_up"));
    String body = rig.ask("GET", "/metrics").body();
    for (String line :
        List.of(
            "keyfleet_node_up{node=\"solo\",role=\"worker,scheduler\"} 1.0",
            "keyfleet_kek_info{key=\"main\",state=\"active\",version=\"1\"} 1",
            "keyfleet_kek_loaded_nodes{key=\"main\",version=\"1\"} 1.0",
            "keyfleet_kek_laggards{key=\"main\",target=\"1\"} 0.0",
            "keyfleet_kek_expected_nodes{key=\"main\"} 1.0",
            "keyfleet_rotation_running{key=\"main\"} 0.0",
            "keyfleet_rotation_rewraps_total{key=\"main\"} 0.0",
            "keyfleet_audit_chain_ok{key=\"main\"} 1.0",
            "keyfleet_store_checks{level=\"fail\"} 0.0")) {
      assertTrue(body.lines().anyMatch(line::equals), () -> line + " is not in\n" + body);
    }
  }

  @Test
  void otherRequests_areRefused() {
    rig.server("solo", Role.SCHEDULER).start();
    assertEquals(404, rig.ask("GET", "/api/v1/secrets").status());
    assertEquals(405, rig.ask("POST", "/livez").status());
    assertEquals(200, rig.ask("HEAD", "/livez").status());
  }

  @Test
  void orderedRotation_isDrivenToItsEndAndSaidPhaseByPhase() {
    rig.announce(1);
    rig.server("w", Role.WORKER).start();
    rig.announce(2);
    rig.await("READY", () -> rig.orders().rotate(version(1), version(2)) instanceof Done);
    rig.await("the end", () -> rotation() instanceof Rotation.Completed);
    rig.await("its word", () -> rig.log().contains("is completed: v2 is active"));
    List<String> phases =
        List.of(" ordered: v1 -> v2", "is driven by w/", "is rewrapping", "is proving");
    phases.forEach(it -> assertTrue(rig.log().contains(it), () -> it + " is not in " + rig.log()));
  }

  @Test
  void sealedAndMovedValues_areCounted() {
    rig.announce(1);
    Server server = rig.server("w", Role.WORKER);
    server.start();
    rig.announce(2);
    rig.await("READY", () -> rig.orders().rotate(version(1), version(2)) instanceof Done);
    rig.await("the end", () -> rotation() instanceof Rotation.Completed);
    String metrics = rig.ask("GET", "/metrics").body();
    assertTrue(
        metrics.contains(
            "keyfleet_crypto_operations_total{key=\"main\",op=\"open\",result=\"ok\",version=\"2\"}"),
        metrics);
    String opened = "keyfleet_crypto_operation_duration_seconds_%s{key=\"main\",op=\"open\"%s}";
    assertTrue(metrics.contains(opened.formatted("bucket", ",le=\"1.0E-5\"")), metrics);
    assertTrue(metrics.contains(opened.formatted("bucket", ",le=\"+Inf\"")), metrics);
    assertTrue(metrics.contains(opened.formatted("sum", "")), metrics);
  }

  private Rotation rotation() {
    return rig.keyringStore().readKeystore().orElseThrow().keystore().rotation();
  }

  private static KekVersion version(int number) {
    return new KekVersion(number);
  }

  @Test
  void announcedVersion_isWhatTheFleetShouldBeReadyFor() {
    rig.announce(1);
    rig.server("w", Role.SCHEDULER).start();
    rig.announce(2);
    String line = "keyfleet_kek_laggards{key=\"main\",target=\"2\"} 0.0";
    rig.await("readiness", () -> rig.ask("GET", "/metrics").body().contains(line));
  }

  @Test
  void secondProcessOfThatName_doesNotStart() {
    rig.announce(1);
    rig.server("twin", Role.WORKER).start();
    Server second = rig.server("twin", Role.WORKER);
    assertThrows(MemberException.NameTaken.class, second::start);
    assertEquals(200, rig.ask("GET", "/readyz").status(), "the first is as before");
  }

  @Test
  void takenAddress_refusesAndLeavesTheRoster() throws IOException {
    rig.announce(1);
    try (ServerSocket taken = new ServerSocket(0)) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort());
      Server server = rig.server("late", rig.engine.kv(), address, Role.WORKER);
      assertThrows(ListenAddressException.class, server::start);
    }
    assertTrue(
        rig.keyringStore().readRoster(ServerFixture.TIMINGS).heartbeats().isEmpty(),
        "its heartbeat is deleted");
  }

  @Test
  void lossyStore_isRefusedAtItsFirstUse() {
    Server server =
        rig.server(
            "w",
            new LossyKv(rig.engine.kv()),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Role.WORKER);
    StoreRefusedException refusal = assertThrows(StoreRefusedException.class, server::start);
    assertTrue(refusal.getMessage().startsWith("this store loses writes"), refusal::getMessage);
  }

  @Test
  void triedStore_isNotTriedAgain() {
    rig.server("one", Role.WORKER).start();
    assertTrue(rig.log().contains("compare-and-set holds"), rig::log);
    int first = rig.log().length();
    rig.server("two", Role.WORKER).start();
    assertFalse(rig.log().substring(first).contains("compare-and-set"), rig::log);
  }

  @Test
  void stoppedServer_isOutOfTheRosterAtOnce() {
    rig.announce(1);
    Server server = rig.server("w", Role.WORKER);
    server.start();
    server.close();
    assertTrue(rig.keyringStore().readRoster(ServerFixture.TIMINGS).heartbeats().isEmpty());
    assertTrue(rig.log().contains("left the fleet of keyring main as w"), rig::log);
  }
}
