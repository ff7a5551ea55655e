package keyfleet.it.process;

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
import keyfleet.it.process.TestProcess.JavaProgram;
import keyfleet.keyring.Timings;
import keyfleet.member.LocalProcess;
import keyfleet.member.ProcessSettings;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// Processes of one test on one store, each with the keys it was given. Closing it leaves none
/// behind.
public final class ProcessFleet implements AutoCloseable {
  /// Where processes have their keys from.
  public enum KeySource {
    /// A process that gets a key must start again.
    ENV,
    /// A process finds a new key by itself.
    FILE
  }

  /// Who gives the commands; its keys are given as any process's.
  public static final String OPERATOR = "operator";

  public static final Map<String, String> TIMINGS =
      Map.of(
          "KEYFLEET_TIMING_HEARTBEAT", "500ms",
          "KEYFLEET_TIMING_FRESH", "2s",
          "KEYFLEET_TIMING_LEASE", "3s",
          "KEYFLEET_TIMING_EXPIRE", "5s",
          "KEYFLEET_TIMING_ADOPT", "1500ms");

  private final Path folder;
  private final TestStores stores;
  private final KeySource keySource;
  private final String keyring;
  private final Map<String, Set<Integer>> keys = new HashMap<>();
  private final List<TestProcess> started = new ArrayList<>();

  public ProcessFleet(Path folder, TestStores stores, KeySource keySource) {
    this(folder, stores, keySource, "main");
  }

  public ProcessFleet(Path folder, TestStores stores, KeySource keySource, String keyring) {
    this.folder = folder;
    this.stores = stores;
    this.keySource = keySource;
    this.keyring = keyring;
  }

  /// As a keystore holds them.
  public static Timings timings() {
    return Objects.requireNonNull(ProcessSettings.of(TIMINGS, LocalProcess.current()).timings());
  }

  /// The test's own bytes for a version.
  public static String key(int version) {
    return "%02x".formatted(version).repeat(32);
  }

  public void giveKeys(String process, Integer... versions) {
    Set<Integer> held = keys.computeIfAbsent(process, _ -> new TreeSet<>());
    held.addAll(Arrays.asList(versions));
    if (keySource == KeySource.FILE) {
      held.forEach(it -> writeKeyFile(process, it, key(it)));
    }
  }

  public void removeKey(String process, int version) {
    keys.computeIfAbsent(process, _ -> new TreeSet<>()).remove(version);
    try {
      Files.deleteIfExists(keyFile(process, version));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// As an operator places a key: whole, and for nobody else to read.
  public void writeKeyFile(String process, int version, String hex) {
    try {
      Path file = keyFile(process, version);
      Files.createDirectories(file.getParent());
      Path incomplete = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), hex);
      Files.setPosixFilePermissions(incomplete, PosixFilePermissions.fromString("rw-------"));
      Files.move(incomplete, file, StandardCopyOption.REPLACE_EXISTING);
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

  public Map<String, String> environment(String process) {
    Map<String, String> all = new HashMap<>();
    all.put("KEYFLEET_STORE", stores.store());
    all.put("KEYFLEET_RECORDS", stores.records());
    all.put("KEYFLEET_INSTANCE", process);
    all.put("KEYFLEET_KEYRING", keyring);
    switch (keySource) {
      case ENV ->
          keys.getOrDefault(process, Set.of()).forEach(it -> all.put(variable(it), key(it)));
      case FILE -> all.put("KEYFLEET_PROVIDER", "file:" + folder.resolve("keys-" + process));
    }
    return all;
  }

  /// `keyfleet server`, as shipped.
  public TestProcess startServer(String name, String... args) {
    return startServer(name, Map.of(), args);
  }

  public TestProcess startServer(
      String name, Map<String, String> extraEnvironment, String... args) {
    List<String> words = new ArrayList<>(List.of("server", "--roles", "worker"));
    words.addAll(List.of(args));
    TestProcess server = start(name, extraEnvironment, command(words));
    server.awaitLine("listens at");
    return server;
  }

  /// As the launcher starts it where nobody looks.
  public static JavaProgram command(List<String> args) {
    return new JavaProgram(List.of("-Dkeyfleet.stdout=pipe"), "keyfleet.cli.Main", args);
  }

  public TestProcess startApplication(String name, String... task) {
    return start(name, Map.of(), new JavaProgram(OrderApplication.class.getName(), task));
  }

  public TestProcess start(String name, Map<String, String> extraEnvironment, JavaProgram program) {
    Map<String, String> environment = environment(name);
    environment.putAll(extraEnvironment);
    TestProcess process = TestProcess.start(folder, name, environment, program);
    started.add(process);
    return process;
  }

  /// A clerk that comes to an end by itself, and what it said last.
  public Document runApplication(String name, String... task) {
    return reportOf(startApplication(name, task));
  }

  public static Document reportOf(TestProcess application) {
    int exit = application.closeInput();
    assertEquals(0, exit, application::output);
    return Document.parse(Value.of(application.out().getLast()));
  }

  /// A command of the operator's.
  public Shell.Result run(String... args) {
    return run(Map.of(), args);
  }

  public Shell.Result run(Map<String, String> extraEnvironment, String... args) {
    TestProcess process = start(OPERATOR, extraEnvironment, command(List.of(args)));
    int exit = process.await();
    return new Shell.Result(exit, process.out(), process.err());
  }

  /// The same, and it must come to this.
  public Shell.Result run(int exit, String... args) {
    Shell.Result result = run(args);
    assertEquals(exit, result.exit(), () -> String.join(" ", args) + ": " + result);
    return result;
  }

  public InProcessOperator operator() {
    return new InProcessOperator(environment(OPERATOR), Failpoints.NONE);
  }

  /// A folder of the test's.
  public Path folder() {
    return folder;
  }

  @Override
  public void close() {
    started.forEach(TestProcess::close);
    stores.close();
  }
}
