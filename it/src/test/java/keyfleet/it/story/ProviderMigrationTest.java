package keyfleet.it.story;

import static keyfleet.it.process.InProcessOperator.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import keyfleet.control.Failpoints;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.OrderApplication;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestProcess.JavaProgram;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.keyring.VersionState;
import keyfleet.store.Bytes;
import keyfleet.store.Document;
import keyfleet.store.RecordId;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Keys move from the environment to files and from there to a token, each time by a rotation; then
/// a compromised key is revoked.
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class ProviderMigrationTest {
  private static final int RECORDS = 200;
  private static final int TAG_BYTES = 16;

  @TempDir Path folder = Path.of("");

  @Test
  void keys_moveFromEnvToFilesToATokenAndOneIsRevoked() throws IOException {
    Map<String, String> token = createToken();
    String file = "file:" + Files.createDirectory(folder.resolve("files"));
    try (ProcessFleet fleet = new ProcessFleet(folder, Kind.SQLITE.open(folder), KeySource.ENV)) {
      Migration migration = new Migration(fleet, token);
      migration.loadRecords();
      migration.createKey("generate", 2, file);
      List<Bytes> sealed = migration.tags();
      migration.changeVersion("rotate", 1, 2, "env," + file);
      String pkcs11 = token.getOrDefault("PROVIDER", "");
      migration.createKey("pkcs11-init", 3, pkcs11);
      migration.changeVersion("rotate", 2, 3, file + "," + pkcs11);
      assertEquals(sealed, migration.tags(), "a rotation does not change the data");
      Files.delete(folder.resolve("files/main.v2.key"));
      migration.createKey("pkcs11-init", 4, pkcs11);
      migration.changeVersion("revoke", 3, 4, pkcs11);
      List<Bytes> reencrypted = migration.tags();
      for (int i = 0; i < RECORDS; i++) {
        assertNotEquals(sealed.get(i), reencrypted.get(i), "a revocation encrypts the data again");
      }
      migration.check(4);
    }
  }

  /// Creates a SoftHSM token; returns the settings that a process needs to find it.
  private Map<String, String> createToken() throws IOException {
    Optional<Path> module =
        Stream.of("/usr/lib/softhsm", "/usr/lib64/softhsm", "/opt/homebrew/lib/softhsm")
            .map(it -> Path.of(it, "libsofthsm2.so"))
            .filter(Files::exists)
            .findFirst();
    assumeTrue(module.isPresent(), "softhsm2 is not installed");
    Path conf = folder.resolve("softhsm2.conf");
    Path tokens = Files.createDirectory(folder.resolve("tokens"));
    Files.writeString(conf, "directories.tokendir = " + tokens + "\nlog.level = ERROR\n");
    Shell shell = new Shell(folder, Map.of("SOFTHSM2_CONF", conf.toString()));
    Shell.Result created =
        shell.run(
            "softhsm2-util --init-token --free --label fleet --pin 4711 --so-pin 0815"
                + " && echo 4711 >pin && chmod 0600 pin");
    assertEquals(0, created.exit(), created::toString);
    return Map.of(
        "SOFTHSM2_CONF",
        conf.toString(),
        "PROVIDER",
        "pkcs11:%s?token=fleet&pin-file=%s".formatted(module.orElseThrow(), folder.resolve("pin")));
  }

  private record Migration(ProcessFleet fleet, Map<String, String> token) {
    void loadRecords() {
      fleet.giveKeys(ProcessFleet.OPERATOR, 1);
      fleet.giveKeys("app", 1);
      fleet.giveKeys("worker-1", 1);
      Shell.Result announced = fleet.run(ProcessFleet.TIMINGS, "kek", "announce", "--version=1");
      assertEquals(0, announced.exit(), announced::toString);
      fleet.runApplication("app", "load", "" + RECORDS);
    }

    private Map<String, String> environment(String provider) {
      Map<String, String> all = new HashMap<>(token);
      all.put("KEYFLEET_PROVIDER", provider);
      return all;
    }

    private void run(String provider, String... args) {
      Shell.Result result = fleet.run(environment(provider), args);
      assertEquals(0, result.exit(), () -> String.join(" ", args) + ": " + result);
    }

    void createKey(String command, int version, String provider) {
      run(provider, "kek", command, "--version=" + version);
    }

    /// The whole fleet, which is one worker, has both providers during the change.
    void changeVersion(String order, int from, int to, String providers) {
      run(providers, "kek", "announce", "--version=" + to);
      TestProcess worker = fleet.startServer("worker-1", environment(providers));
      run(providers, "kek", "verify", "--target=" + to, "--wait", "--timeout=30s");
      run(
          providers,
          "kek",
          order,
          "--from-version=" + from,
          "--to-version=" + to,
          "--wait",
          "--timeout=1m",
          order.equals("revoke") ? "--yes" : "--output=table");
      if (order.equals("rotate")) {
        run(providers, "kek", "remove", "--version=" + from, "--yes");
      }
      assertEquals(143, worker.stop(), worker::output);
      try (InProcessOperator operator = operator()) {
        assertEquals(Map.of(v(to), (long) RECORDS), operator.recordsByVersion());
        assertEquals(VersionState.DISABLED, operator.keystore().stateOf(v(from)).orElseThrow());
      }
    }

    private InProcessOperator operator() {
      return new InProcessOperator(fleet.environment(ProcessFleet.OPERATOR), Failpoints.NONE);
    }

    /// The authentication tag of each record's data, which changes if the data is encrypted again.
    List<Bytes> tags() {
      List<Bytes> tags = new ArrayList<>();
      try (InProcessOperator operator = operator()) {
        for (int i = 0; i < RECORDS; i++) {
          StoredRecord record =
              operator.records().read(new RecordId(OrderApplication.id(i))).orElseThrow();
          byte[] card = Objects.requireNonNull(record.fields().byName().get("card")).toArray();
          tags.add(Bytes.copyOf(Arrays.copyOfRange(card, card.length - TAG_BYTES, card.length)));
        }
      }
      return tags;
    }

    /// A process that has only the token opens all records.
    void check(int version) {
      TestProcess checker =
          fleet.start(
              "checker",
              environment(token.getOrDefault("PROVIDER", "")),
              new JavaProgram(OrderApplication.class.getName(), "check"));
      Document all = ProcessFleet.reportOf(checker);
      assertEquals(RECORDS, all.number("v" + version), checker::output);
      assertTrue(all.number("wrong") == 0, checker::output);
    }
  }
}
