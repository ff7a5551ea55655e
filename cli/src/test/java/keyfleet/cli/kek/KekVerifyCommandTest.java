package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.ReadinessGate.Laggard;
import keyfleet.keyring.ReadinessGate.Reason;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What `kek verify --target` prints.
class KekVerifyCommandTest {
  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @TempDir Path folder = Path.of("");

  @BeforeEach
  void announce() {
    fleet.addKeys(2);
    fleet.announce(1, 2);
  }

  private CommandResult verify(String... more) {
    return fleet.runLine("kek verify --target=2", more);
  }

  @Test
  void emptyFleet_isNeverReady() {
    assertEquals(
        """
        NOT READY: target=2
        No process has sent a heartbeat recently. Start one, and wait for its first heartbeat.
        Try: keyfleet kek verify --target=2 --wait
        """,
        verify().expectExit(2).err());
  }

  @Test
  void pod_isNamedAndItsImageFound() {
    fleet.start(new Host("node-7", 1, "api-6d9f-x2", Instant.EPOCH), "api", "env", 1);
    assertEquals(
        """
        NOT READY: target=2
        LAGGARDS:
        pod=api-6d9f-x2 loaded=[1] current=1 provider=env version=0.1.0 reason=missing
        On api-6d9f-x2: set KEYFLEET_KEK_V2 and restart the process
        Which image a pod runs: kubectl get pods -L keyfleet.version --all-namespaces
        Try: keyfleet kek verify --target=2 --wait
        """,
        verify().expectExit(2).err());
  }

  @Test
  void otherProvider_isALaggard() throws IOException {
    keyFile(1, CliFleet.key(1));
    keyFile(2, CliFleet.key(2));
    fleet.start(new Host("b", 7, "", Instant.EPOCH), "api", "file:" + folder);
    assertEquals(
        """
        NOT READY: target=2
        LAGGARDS:
        host=b pid=7 loaded=[1,2] current=1 provider=file version=0.1.0 reason=other_provider
        On b: load v2 only from env, the provider in the keystore
        Try: keyfleet kek verify --target=2 --wait
        """,
        verify().expectExit(2).err());
  }

  @Test
  void otherBytes_areALaggard() {
    fleet.startWith("b", CliFleet.key(1), CliFleet.key(3));
    CommandResult result = verify().expectExit(2);
    assertTrue(
        result
            .err()
            .contains("loaded=[1,2] current=1 provider=env version=0.1.0 reason=other_bytes\n"),
        result.err());
    assertTrue(
        result
            .err()
            .contains("On b: set KEYFLEET_KEK_V2 to the fleet's bytes and restart the process\n"),
        result.err());
  }

  private static Heartbeat heartbeatOf(String instance) {
    return new Heartbeat(
        new ProcessInfo(instance, "r", "api", "0.1.0"), Map.of(), null, 1, 1, Instant.EPOCH);
  }

  @Test
  void missingKey_isProvidedAsItsProviderNeeds() {
    Heartbeat heartbeat = heartbeatOf("a");
    LaggardRemedy remedy = LaggardRemedy.of(new Laggard(heartbeat, Reason.MISSING), "env");
    assertEquals(
        "On a: set KEYFLEET_KEK_PAY_V2 and restart the process",
        remedy.text(new KeyringName("pay"), new KekVersion(2), List.of(heartbeat)));
  }

  @Test
  void similarLaggards_shareARemedy() {
    for (int i = 1; i <= 7; i++) {
      fleet.start("api-" + i, "api", 1);
    }
    CommandResult result = verify().expectExit(2);
    assertEquals(
        7, result.err().lines().filter(it -> it.startsWith("host=")).count(), result.err());
    assertTrue(
        result
            .err()
            .contains(
                "On api-1, api-2, api-3, api-4, api-5 and 2 more: set KEYFLEET_KEK_V2 and restart"
                    + " the process\n"),
        result.err());
  }

  @Test
  void staleProcess_isListedSeparately() {
    fleet.start("api-1", "api", 1, 2);
    fleet.start("api-2", "api", 1);
    fleet.kill("api-2");
    backend.advance(Duration.ofSeconds(61));
    fleet.writeHeartbeats();
    CommandResult result = verify().expectExit(0);
    assertEquals("READY: target=2 processes=1\n", result.out());
    assertEquals("STALE:\nhost=api-2 pid=1005 heard=61s ago\n", result.err());
  }

  @Test
  void fewerThanExpected_isNotReady() {
    fleet.start("api-1", "api", 1, 2);
    assertTrue(verify("--min-processes=1").expectExit(0).err().isEmpty());
    verify("--min-processes=3").expectExit(2).expectErrorPart("MISSING: 2 of 3 processes\n");
  }

  @Test
  void namedProcess_mustBeThere() {
    fleet.start("api-1", "api", 1, 2);
    assertTrue(verify("--expect=api-1").expectExit(0).err().isEmpty());
    verify("--expect=api-2,api-1").expectExit(2).expectErrorPart("MISSING: api-2\n");
  }

  @Test
  void wait_endsWhenTheLaggardIsFixed() {
    fleet.start("api-1", "api", 1);
    fleet.onPause(3, () -> fleet.start("api-1", "api", 1, 2));
    long start = fleet.nanos();
    verify("--wait", "--timeout=1m").expectExit(0);
    assertEquals(Duration.ofSeconds(3), Duration.ofNanos(fleet.nanos() - start));
  }

  @Test
  void wait_endsAtTheTimeout() {
    fleet.start("api-1", "api", 1);
    long start = fleet.nanos();
    CommandResult result = verify("--wait", "--timeout=2500ms").expectExit(2);
    assertEquals(Duration.ofMillis(2500), Duration.ofNanos(fleet.nanos() - start));
    assertTrue(result.err().contains("reason=missing"), result.err());
  }

  @Test
  void wait_ridesOverAnOutage() {
    AtomicBoolean isDown = new AtomicBoolean();
    backend.kvWrapper = kv -> new BreakableKv(kv, isDown);
    fleet.start("api-1", "api", 1);
    fleet.onPause(2, () -> isDown.set(true));
    fleet.onPause(5, () -> isDown.set(false));
    fleet.onPause(6, () -> fleet.start("api-1", "api", 1, 2));
    verify("--wait", "--timeout=1m")
        .expectExit(0)
        .expectErrorStart("still waiting: the store is away\nthe store answers again\n");
  }

  @Test
  void waitThatEndsInAnOutage_isAnError() {
    AtomicBoolean isDown = new AtomicBoolean();
    backend.kvWrapper = kv -> new BreakableKv(kv, isDown);
    fleet.start("api-1", "api", 1);
    fleet.onPause(2, () -> isDown.set(true));
    verify("--wait", "--timeout=5s")
        .expectExit(1)
        .expectErrorPart("keyfleet: the store is away\nTry: ");
  }

  @Test
  void keyFolder_isNamedInTheRemedy() throws IOException {
    keyFile(1, CliFleet.key(1));
    fleet.start(new Host("b", 7, "", Instant.EPOCH), "api", "file:" + folder, 1);
    verify()
        .expectExit(2)
        .expectErrorPart(
            "On b: set KEYFLEET_KEK_V2 and restart the process\n"); // the fleet's provider is env
    LaggardRemedy remedy =
        new LaggardRemedy(Reason.OTHER_BYTES, "file", LaggardRemedy.Location.HOST, "keys/b");
    assertEquals(
        "On b: remove main.v2.key from keys/b, wait for a heartbeat, then place the fleet's"
            + " main.v2.key in keys/b",
        remedy.text(KeyringName.MAIN, new KekVersion(2), List.of(heartbeatOf("b"))));
  }

  @Test
  void json_isOneObject() {
    fleet.start("api-1", "api", 1);
    fleet.start("api-2", "worker", 1, 2);
    assertEquals(
        "{\"keyring\":\"main\",\"target\":2,\"ready\":false,\"laggards\":[{\"instance\":\"api-1\","
            + "\"hostname\":\"api-1\",\"pid\":1005,\"pod\":\"\",\"role\":\"api\",\"loaded_kek_versions\":[1],"
            + "\"current_kek_version\":1,\"provider\":\"env\",\"version\":\"0.1.0\",\"reason\":\"missing\",\"remedy\":\"On"
            + " api-1: set KEYFLEET_KEK_V2 and restart the"
            + " process\"}],\"silent\":[],\"missing\":[],\"stale\":[]}\n",
        verify("-o", "json").expectExit(2).out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --target=0               | --target=0 is not a version; use a positive integer
          --target=x               | --target=x is not a version; use a positive integer
          --target=-1              | --target=-1 is not a version; use a positive integer
          --target=3               | v3 is not announced
          --target=1 --local       | give either --target or --local
          ''                       | give either --target or --local
          --target=2 --timeout=1m  | --timeout has no effect without --wait
          --target=2 --wait --timeout=soon | --timeout=soon is not a duration: a whole number and a unit, ms, s, m, h or d, such as 500ms or 30s; at most 36500d
          --target=2 --min-processes=0 | --min-processes=0 is not a number of processes
          --target=2 --expect=a,,b  | --expect: an instance name has letters, digits and . _ : @ / -, at most 190 characters; this one is ''
          --target=2 --expect=a --min-processes=1 | processes are expected both by name and by number; only one is allowed
          --target=2 -o yaml       | -o yaml is not a format; use table or json
          --target=2 --keyring=pay | keyring pay has no key yet
          """)
  void badInput_isReportedInOneSentence(String options, String sentence) {
    String[] args = ("kek verify " + options).strip().split(" +");
    CommandResult result = fleet.run(args).expectExit(1);
    assertTrue(result.err().startsWith("keyfleet: " + sentence + "\nTry: "), result.err());
    assertEquals("", result.out());
  }

  @Test
  void operatorWithoutTheVersion_cannotJudge() {
    fleet.environment.remove("KEYFLEET_KEK_V2");
    CommandResult result = verify().expectExit(1);
    assertTrue(
        result.err().startsWith("keyfleet: this host does not hold v2 of keyring main\nTry: "));
  }

  @Test
  void operatorWithABrokenProvider_seesWhy() {
    fleet.environment.put("KEYFLEET_KEK_V2", "short");
    CommandResult result = verify().expectExit(1);
    assertTrue(
        result
            .err()
            .contains("does not hold v2 of keyring main: env: KEYFLEET_KEK_V2 does not hold a key"),
        result.err());
  }

  @Test
  void operatorWithOtherBytes_cannotJudge() {
    fleet.environment.put("KEYFLEET_KEK_V2", CliFleet.key(9));
    verify().expectExit(1).expectErrorStart("keyfleet: this host has a different key for v2");
  }

  @Test
  void storeThatDoesNotAnswer_isAnError() {
    backend.kvWrapper = UnreachableKv::new;
    verify().expectExit(1).expectErrorStart("keyfleet: the store does not answer\nTry: ");
  }

  @Test
  void heartbeatText_cannotControlTheTerminal() {
    fleet.start(new Host("a\u001b[2Jb\n", 7, "", Instant.EPOCH), "api", "env", 1);
    verify().expectExit(2).expectErrorPart("host=a?[2Jb? pid=7 ");
  }

  private void keyFile(int version, String key) throws IOException {
    Path file = folder.resolve("main.v" + version + ".key");
    Files.writeString(file, key);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /// Decisions of the command start with the keystore, so a broken read of a key is enough.
  private record BreakableKv(Kv inner, AtomicBoolean isDown) implements ForwardingKv {
    @Override
    public Optional<Entry> get(Bucket bucket, Key key) {
      if (isDown.get()) {
        throw new StoreException("the store is away");
      }
      return inner.get(bucket, key);
    }
  }

  private record UnreachableKv(Kv inner) implements ForwardingKv {
    @Override
    public Optional<Entry> get(Bucket bucket, Key key) {
      throw new StoreException("the store does not answer");
    }
  }
}
