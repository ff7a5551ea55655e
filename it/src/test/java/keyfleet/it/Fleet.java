package keyfleet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.control.Failpoints;
import keyfleet.it.FleetProcess.Program;
import keyfleet.keyring.Timings;
import keyfleet.member.LocalProcess;
import keyfleet.member.ProcessSettings;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// Processes of one test on one store, each with the keys it was given. Closing it leaves none
/// behind.
final class Fleet implements AutoCloseable {
  /// Where processes have their keys from.
  enum Supply {
    /// A process that gets a key must start again.
    ENV,
    /// A process finds a new key by itself.
    FILE
  }

  /// Who gives the commands; its keys are given as any process's.
  static final String OPERATOR = "operator";

  static final Map<String, String> TIMINGS =
      Map.of(
          "KEYFLEET_TIMING_HEARTBEAT", "500ms",
          "KEYFLEET_TIMING_FRESH", "2s",
          "KEYFLEET_TIMING_LEASE", "3s",
          "KEYFLEET_TIMING_EXPIRE", "5s",
          "KEYFLEET_TIMING_ADOPT", "1500ms");

  private final Path folder;
  private final Site site;
  private final Supply supply;
  private final String keyring;
  private final Map<String, Set<Integer>> keys = new HashMap<>();
  private final List<FleetProcess> started = new ArrayList<>();

  Fleet(Path folder, Site site, Supply supply) {
    this(folder, site, supply, "main");
  }

  Fleet(Path folder, Site site, Supply supply, String keyring) {
    this.folder = folder;
    this.site = site;
    this.supply = supply;
    this.keyring = keyring;
  }

  /// As a keystore holds them.
  static Timings timings() {
    return Objects.requireNonNull(ProcessSettings.of(TIMINGS, LocalProcess.current()).timings());
  }

  /// The test's own bytes for a version.
  static String key(int version) {
    return "%02x".formatted(version).repeat(32);
  }

  void give(String process, Integer... versions) {
    Set<Integer> held = keys.computeIfAbsent(process, _ -> new TreeSet<>());
    held.addAll(Arrays.asList(versions));
    if (supply == Supply.FILE) {
      held.forEach(it -> place(process, it, key(it)));
    }
  }

  void take(String process, int version) {
    keys.computeIfAbsent(process, _ -> new TreeSet<>()).remove(version);
    try {
      Files.deleteIfExists(keyFile(process, version));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// As an operator places a key: whole, and for nobody else to read.
  void place(String process, int version, String hex) {
    try {
      Path file = keyFile(process, version);
      Files.createDirectories(file.getParent());
      Path half = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), hex);
      Files.setPosixFilePermissions(half, PosixFilePermissions.fromString("rw-------"));
      Files.move(half, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path keyFile(String process, int version) {
    return folder.resolve("keys-" + process).resolve(keyring + ".v" + version + ".key");
  }

  private String variable(int version) {
    String infix = keyring.equals("main") ? "" : keyring.toUpperCase(Locale.ROOT) + "_";
    return "KEYFLEET_KEK_" + infix + "V" + version;
  }

  Map<String, String> environment(String process) {
    Map<String, String> all = new HashMap<>();
    all.put("KEYFLEET_STORE", site.store());
    all.put("KEYFLEET_RECORDS", site.records());
    all.put("KEYFLEET_INSTANCE", process);
    all.put("KEYFLEET_KEYRING", keyring);
    switch (supply) {
      case ENV ->
          keys.getOrDefault(process, Set.of()).forEach(it -> all.put(variable(it), key(it)));
      case FILE -> all.put("KEYFLEET_PROVIDER", "file:" + folder.resolve("keys-" + process));
    }
    return all;
  }

  /// `keyfleet server`, as shipped.
  FleetProcess server(String name, String... args) {
    return server(name, Map.of(), args);
  }

  FleetProcess server(String name, Map<String, String> besides, String... args) {
    List<String> words = new ArrayList<>(List.of("server", "--roles", "worker"));
    words.addAll(List.of(args));
    FleetProcess server = start(name, besides, command(words));
    server.awaitLine("listens at");
    return server;
  }

  /// As the launcher starts it where nobody looks.
  static Program command(List<String> args) {
    return new Program(List.of("-Dkeyfleet.stdout=pipe"), "keyfleet.cli.Main", args);
  }

  FleetProcess clerk(String name, String... duty) {
    return start(name, Map.of(), new Program(Clerk.class.getName(), duty));
  }

  FleetProcess start(String name, Map<String, String> besides, Program program) {
    Map<String, String> environment = environment(name);
    environment.putAll(besides);
    FleetProcess process = FleetProcess.start(folder, name, environment, program);
    started.add(process);
    return process;
  }

  /// A clerk that comes to an end by itself, and what it said last.
  Document report(String name, String... duty) {
    return reportOf(clerk(name, duty));
  }

  static Document reportOf(FleetProcess clerk) {
    int exit = clerk.hangUp();
    assertEquals(0, exit, clerk::said);
    return Document.parse(Value.of(clerk.out().getLast()));
  }

  /// A command of the operator's.
  Shell.Result run(String... args) {
    return run(Map.of(), args);
  }

  Shell.Result run(Map<String, String> besides, String... args) {
    FleetProcess process = start(OPERATOR, besides, command(List.of(args)));
    int exit = process.await();
    return new Shell.Result(exit, process.out(), process.err());
  }

  /// The same, and it must come to this.
  Shell.Result run(int exit, String... args) {
    Shell.Result result = run(args);
    assertEquals(exit, result.exit(), () -> String.join(" ", args) + ": " + result);
    return result;
  }

  Overseer overseer() {
    return new Overseer(environment(OPERATOR), Failpoints.NONE);
  }

  /// A folder of the test's.
  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    started.forEach(FleetProcess::close);
    site.close();
  }
}
