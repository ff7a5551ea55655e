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
import java.util.Set;
import java.util.TreeSet;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.member.MemberException;
import keyfleet.server.ServerFixture.Reply;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.LossyKv;
import keyfleet.store.StoreRefusedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTest {
  private static final KeyringName OTHER = new KeyringName("other");

  @TempDir Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(folder);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void emptyKeyring_isAliveButNotReady() {
    fixture.server("solo", Role.WORKER).start();
    assertEquals(new Reply(200, "ok\n"), fixture.request("GET", "/livez"));
    Reply ready = fixture.request("GET", "/readyz");
    assertEquals(503, ready.status());
    assertTrue(ready.body().contains("Try: keyfleet kek announce --version=1"), ready.body());
  }

  @Test
  void announcedKeyring_isReadyAndShowsTheFleet() {
    fixture.announce(1);
    fixture.server("solo", Role.WORKER, Role.SCHEDULER).start();
    assertEquals(
        new Reply(200, "[+]member admitted in epoch 1\n"), fixture.request("GET", "/readyz"));
    fixture.await(
        "a fleet snapshot",
        () -> fixture.request("GET", "/metrics").body().contains("keyfleet_node_up"));
    String body = fixture.request("GET", "/metrics").body();
    for (String line :
        List.of(
            "keyfleet_node_up{key=\"main\",node=\"solo\",role=\"worker,scheduler\"} 1.0",
            "keyfleet_kek_info{key=\"main\",state=\"active\",version=\"1\"} 1",
            "keyfleet_kek_loaded_nodes{key=\"main\",version=\"1\"} 1.0",
            "keyfleet_kek_laggards{key=\"main\",target=\"1\"} 0.0",
            "keyfleet_kek_expected_nodes{key=\"main\"} 1.0",
            "keyfleet_rotation_running{key=\"main\"} 0.0",
            "keyfleet_rotation_rewraps_total{key=\"main\"} 0.0",
            "keyfleet_audit_chain_ok{key=\"main\"} 1.0",
            "keyfleet_safe_hold{key=\"main\"} 0.0",
            "keyfleet_store_checks{level=\"fail\"} 0.0")) {
      assertTrue(body.lines().anyMatch(line::equals), () -> line + " is not in\n" + body);
    }
  }

  @Test
  void severalKeyrings_areServedByOneProcess() {
    fixture.announce(1);
    fixture.operations(OTHER).announce(version(1), Keystore.Use.RECORDS, ServerFixture.TIMINGS);
    fixture.keyrings = KeyringSelection.of(KeyringName.MAIN, OTHER);
    fixture.server("solo", Role.WORKER, Role.SCHEDULER).start();
    assertEquals(
        new Reply(200, "[+]member main: admitted in epoch 1; other: admitted in epoch 1\n"),
        fixture.request("GET", "/readyz"));
    fixture.await(
        "both snapshots",
        () ->
            fixture
                    .request("GET", "/metrics")
                    .body()
                    .lines()
                    .filter(it -> it.startsWith("keyfleet_node_up{"))
                    .count()
                == 2);
    String body = fixture.request("GET", "/metrics").body();
    for (String line :
        List.of("keyfleet_ready{key=\"main\"} 1.0", "keyfleet_ready{key=\"other\"} 1.0")) {
      assertTrue(body.lines().anyMatch(line::equals), () -> line + " is not in\n" + body);
    }
    assertEquals(
        1, body.lines().filter(it -> it.startsWith("# TYPE keyfleet_ready ")).count(), body);
    assertTrue(fixture.log().contains("keyring other: loaded v1 from env"), fixture::log);
    fixture.operations(OTHER).announce(version(2), Keystore.Use.RECORDS, ServerFixture.TIMINGS);
    fixture.await(
        "READY", () -> fixture.operations(OTHER).rotate(version(1), version(2)) instanceof Done);
    fixture.await("the end", () -> fixture.log().contains("is completed: v2 is active"));
  }

  @Test
  void allKeyrings_arePickedUpAsTheyAppear() {
    fixture.keyrings = KeyringSelection.ALL;
    fixture.server("solo", Role.WORKER).start();
    assertEquals(503, fixture.request("GET", "/readyz").status());
    fixture.operations(OTHER).announce(version(1), Keystore.Use.RECORDS, ServerFixture.TIMINGS);
    fixture.await("the keyring", () -> fixture.request("GET", "/readyz").status() == 200);
    assertTrue(fixture.log().contains("keyring other: loaded v1"), fixture::log);
  }

  @Test
  void keystoreBehindAFence_isNotReadyAndSaysSo() {
    fixture.announce(1);
    fixture.server("solo", Role.WORKER).start();
    assertEquals(200, fixture.request("GET", "/readyz").status());
    Term ahead =
        new Term(
            fixture
                .keyringStore()
                .keystores()
                .read()
                .orElseThrow()
                .keystore()
                .identity()
                .incarnation(),
            7);
    fixture
        .engine
        .records(ServerFixture.ORDERS)
        .fence(new Fence(ahead, new TreeSet<>(Set.of(version(1)))));
    fixture.await("the hold", () -> fixture.request("GET", "/readyz").status() == 503);
    fixture.await(
        "the metric",
        () ->
            fixture
                .request("GET", "/metrics")
                .body()
                .contains("keyfleet_safe_hold{key=\"main\"} 1.0"));
    fixture.await("the warning", () -> fixture.log().contains("Try: keyfleet kek hold show"));
    Reply reply = fixture.request("GET", "/readyz");
    assertTrue(reply.body().startsWith("[-]member safe hold: "), reply.body());
  }

  @Test
  void otherRequests_areRefused() {
    fixture.server("solo", Role.SCHEDULER).start();
    assertEquals(404, fixture.request("GET", "/api/v1/secrets").status());
    assertEquals(405, fixture.request("POST", "/livez").status());
    assertEquals(200, fixture.request("HEAD", "/livez").status());
  }

  @Test
  void startedRotation_completesAndLogsEachPhase() {
    fixture.announce(1);
    fixture.server("w", Role.WORKER).start();
    fixture.announce(2);
    fixture.await(
        "READY", () -> fixture.operations().rotate(version(1), version(2)) instanceof Done);
    fixture.await("the end", () -> rotation() instanceof Rotation.Completed);
    fixture.await("the log line", () -> fixture.log().contains("is completed: v2 is active"));
    List<String> phases =
        List.of(" started: v1 -> v2", "is driven by w/", "is rewrapping", "is proving");
    phases.forEach(
        it -> assertTrue(fixture.log().contains(it), () -> it + " is not in " + fixture.log()));
  }

  @Test
  void sealedAndRewrappedValues_areCounted() {
    fixture.announce(1);
    Server server = fixture.server("w", Role.WORKER);
    server.start();
    fixture.announce(2);
    fixture.await(
        "READY", () -> fixture.operations().rotate(version(1), version(2)) instanceof Done);
    fixture.await("the end", () -> rotation() instanceof Rotation.Completed);
    String metrics = fixture.request("GET", "/metrics").body();
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
    return fixture.keyringStore().keystores().read().orElseThrow().keystore().rotation();
  }

  private static KekVersion version(int number) {
    return new KekVersion(number);
  }

  @Test
  void announcedVersion_isTheTargetOfTheLaggardMetric() {
    fixture.announce(1);
    fixture.server("w", Role.SCHEDULER).start();
    fixture.announce(2);
    String line = "keyfleet_kek_laggards{key=\"main\",target=\"2\"} 0.0";
    fixture.await("readiness", () -> fixture.request("GET", "/metrics").body().contains(line));
  }

  @Test
  void secondProcessWithTheSameName_doesNotStart() {
    fixture.announce(1);
    fixture.server("twin", Role.WORKER).start();
    Server second = fixture.server("twin", Role.WORKER);
    assertThrows(MemberException.NameTaken.class, second::start);
    assertEquals(
        200, fixture.request("GET", "/readyz").status(), "the first server is not affected");
  }

  @Test
  void takenAddress_refusesAndLeavesTheRoster() throws IOException {
    fixture.announce(1);
    try (ServerSocket taken = new ServerSocket(0)) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort());
      Server server = fixture.server("late", fixture.engine.kv(), address, Role.WORKER);
      assertThrows(ListenAddressException.class, server::start);
    }
    assertTrue(
        fixture.keyringStore().readRoster(ServerFixture.TIMINGS).heartbeats().isEmpty(),
        "its heartbeat is deleted");
  }

  @Test
  void lossyStore_isRefusedAtFirstUse() {
    Server server =
        fixture.server(
            "w",
            new LossyKv(fixture.engine.kv()),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Role.WORKER);
    StoreRefusedException refusal = assertThrows(StoreRefusedException.class, server::start);
    assertTrue(refusal.getMessage().startsWith("this store loses writes"), refusal::getMessage);
  }

  @Test
  void checkedStore_isNotCheckedAgain() {
    fixture.server("one", Role.WORKER).start();
    assertTrue(fixture.log().contains("compare-and-set holds"), fixture::log);
    int first = fixture.log().length();
    fixture.server("two", Role.WORKER).start();
    assertFalse(fixture.log().substring(first).contains("compare-and-set"), fixture::log);
  }

  @Test
  void stoppedServer_leavesTheRosterAtOnce() {
    fixture.announce(1);
    Server server = fixture.server("w", Role.WORKER);
    server.start();
    server.close();
    assertTrue(fixture.keyringStore().readRoster(ServerFixture.TIMINGS).heartbeats().isEmpty());
    assertTrue(fixture.log().contains("left the fleet of keyring main as w"), fixture::log);
  }
}
