package keyfleet.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Commands use the values of the file, unless a variable or a flag replaces them.
class ConfigLoaderTest {
  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);
  private final List<String> opened = new ArrayList<>();

  @TempDir Path folder = Path.of("");

  @BeforeEach
  void recordOpenedStores() {
    fleet.environment.remove("KEYFLEET_STORE");
    fleet.openEngine =
        url -> {
          opened.add(url.toString());
          return backend.open();
        };
  }

  private void writeFile(String text) throws IOException {
    Path file = folder.resolve("k.yaml");
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
  }

  private CommandResult run(String... args) {
    String config = "--config=" + folder.resolve("k.yaml");
    return fleet.run(Stream.concat(Stream.of(args), Stream.of(config)).toArray(String[]::new));
  }

  /// `-` stands for a value that is not set.
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          -, -, -, sqlite:HOME/keyfleet.db, main
          x, -, -, sqlite:x, ring-x
          -, y, -, sqlite:y, ring-y
          x, y, -, sqlite:y, ring-y
          -, -, z, sqlite:z, ring-z
          x, -, z, sqlite:z, ring-z
          -, y, z, sqlite:z, ring-z
          x, y, z, sqlite:z, ring-z
          """)
  void flag_winsOverVariableOverFileOverDefault(
      String inFile, String variable, String flag, String store, String keyring)
      throws IOException {
    fleet.environment.put("KEYFLEET_HOME", folder.toString());
    writeFile(
        inFile.equals("-") ? "" : "store: sqlite:%s%nkeyring: ring-%s%n".formatted(inFile, inFile));
    if (!variable.equals("-")) {
      fleet.environment.put("KEYFLEET_STORE", "sqlite:" + variable);
      fleet.environment.put("KEYFLEET_KEYRING", "ring-" + variable);
    }
    CommandResult result =
        flag.equals("-")
            ? run("kek", "list")
            : run("kek", "list", "--store=sqlite:" + flag, "--keyring=ring-" + flag);
    assertEquals(List.of(store.replace("HOME", folder.toString())), opened);
    assertTrue(
        result.expectExit(1).err().startsWith("keyfleet: keyring " + keyring + " has no key yet\n"),
        result.err());
  }

  @Test
  void providersAndRecords_comeFromTheFile() throws IOException {
    Path keys = Files.createDirectory(folder.resolve("keys"));
    writeFile("store: sqlite:a\nrecords: sqlite:b\nproviders: ['file:%s']\n".formatted(keys));
    run("kek", "generate", "--version=1").expectExit(0).expectErrorPart("main.v1.key");
    run("kek", "announce", "--version=1").expectExit(0);
    fleet.runWith("v", "secret", "put", "a", "--config=" + folder.resolve("k.yaml")).expectExit(0);
    // A command that changes a store looks first whether there is one.
    assertEquals(List.of("sqlite:a", "sqlite:a", "sqlite:a", "sqlite:b"), opened);
    fleet.environment.put("KEYFLEET_PROVIDER", "env");
    assertTrue(run("kek", "verify", "--local").expectExit(0).out().contains("env "));
  }

  @Test
  void timings_areStoredInTheKeystore() throws IOException {
    writeFile(
        "store: sqlite:a\ntimings: {heartbeat: 1s, fresh: 2s, lease: 3s, expire: 4s, adopt: 2s}\n");
    run("kek", "announce", "--version=1").expectExit(0);
    fleet.start("worker-1", "worker", 1);
    backend.advance(Duration.ofSeconds(3));
    run("kek", "verify", "--target=1").expectExit(2).expectErrorPart("heard=3s ago");
  }

  @Test
  void minProcesses_appliesToTheGateAndToTheRotation() throws IOException {
    fleet.addKeys(2);
    writeFile("store: sqlite:a\nrotation: {min-processes: 2}\n");
    run("kek", "announce", "--version=1").expectExit(0);
    run("kek", "announce", "--version=2").expectExit(0);
    fleet.start("worker-1", "worker", 1, 2);
    run("kek", "verify", "--target=2").expectExit(2).expectErrorPart("MISSING: 1 of 2");
    run("kek", "verify", "--target=2", "--min-processes=1").expectExit(0);
    String[] rotate = {"kek", "rotate", "--from-version=1", "--to-version=2", "--wait"};
    run(rotate).expectExit(2).expectErrorPart("MISSING: 1 of 2");
    fleet.start("worker-2", "worker", 1, 2);
    run(rotate).expectExit(0);
    CommandResult status = run("kek", "status", "-o", "json").expectExit(0);
    assertTrue(status.out().contains("\"min_processes\":2"), status.out());
  }

  @Test
  void expectedNames_applyToTheGateAndToTheRotation() throws IOException {
    fleet.addKeys(2);
    writeFile("store: sqlite:a\nrotation: {expected: [worker-1, api-1]}\n");
    run("kek", "announce", "--version=1").expectExit(0);
    run("kek", "announce", "--version=2").expectExit(0);
    fleet.start("worker-1", "worker", 1, 2);
    run("kek", "verify", "--target=2").expectExit(2).expectErrorPart("MISSING: api-1\n");
    fleet.start("api-1", "api", 1, 2);
    run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").expectExit(0);
    assertTrue(
        run("kek", "status").expectExit(0).out().contains("expects   api-1, worker-1\n"),
        "the status");
  }

  @Test
  void pluginKeyring_isKmsUnlessAnotherIsNamed() throws IOException {
    fleet.environment.put("KEYFLEET_KEK_KMS_V1", CliFleet.key(1));
    fleet.environment.put("KEYFLEET_KEK_EDGE_V1", CliFleet.key(2));
    writeFile("store: sqlite:a\n");
    CommandResult usual = run("kek", "announce", "--version=1", "--use=kms").expectExit(0);
    assertEquals("kms v1 is active\n", usual.err());
    writeFile("store: sqlite:a\nkeyring: edge\n");
    CommandResult named = run("kek", "announce", "--version=1", "--use=kms").expectExit(0);
    assertEquals("edge v1 is active\n", named.err());
  }

  @Test
  void horizon_comesFromTheFile() throws IOException {
    fleet.addKeys(2);
    writeFile("store: sqlite:a\nbackup-horizon: 1s\n");
    run("kek", "announce", "--version=1").expectExit(0);
    run("kek", "announce", "--version=2").expectExit(0);
    fleet.start("worker-1", "worker", 1, 2);
    run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").expectExit(0);
    fleet.writeHeartbeats();
    run("kek", "remove", "--version=1").expectExit(0);
    backend.advance(Duration.ofSeconds(2));
    fleet.writeHeartbeats();
    run("kek", "remove", "--version=1", "--destroy", "--yes", "--horizon=1d").expectExit(2);
    CommandResult result = run("kek", "remove", "--version=1", "--destroy", "--yes", "-o", "json");
    assertTrue(result.out().contains("\"state\":\"destroying\""), result.toString());
  }

  @Test
  void declaredCollection_isNotCountedUntilRegistered() throws IOException {
    writeFile(
        """
        store: sqlite:a
        collections:
          - {name: orders, sealed: [card]}
          - {name: notes, sealed: [body], keyring: other}
          - {name: keyfleet_secrets, id: name, sealed: [value]}
        """);
    run("kek", "announce", "--version=1").expectExit(0);
    fleet.start("worker-1", "worker", 1);
    fleet.runWith("v", "secret", "put", "a", "--config=" + folder.resolve("k.yaml")).expectExit(0);
    CommandResult result = run("kek", "inventory").expectExit(2);
    assertEquals(
        """
        not counted: sqlite orders: declared, but no process has registered it yet
        keyfleet: not all collections were counted
        Try: start a worker, which registers the collections of its configuration: keyfleet server --roles worker
        """,
        result.err());
  }

  @Test
  void badFile_stopsEveryCommandBeforeItDoesAnything() throws IOException {
    writeFile("store: sqlite:a\nkeyrnig: b\n");
    for (String command : List.of("kek list", "kek generate", "kek verify --local", "doctor")) {
      CommandResult result = run(command.split(" ")).expectExit(1);
      assertEquals(
          "keyfleet: %s:2: unknown key keyrnig%nTry: keyring%n".formatted(folder.resolve("k.yaml")),
          result.err());
      assertEquals("", result.out());
    }
    assertEquals(List.of(), opened);
    run("kek", "list", "--help").expectExit(0);
  }
}
