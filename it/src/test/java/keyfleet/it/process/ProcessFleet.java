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

/// The processes of one test on one store, each with the keys that the test gives it. Closing the
/// fleet ends all of them.
public final class ProcessFleet implements AutoCloseable {
  /// The provider from which processes get their keys.
  public enum KeySource {
    /// A process must restart to load a new key.
    ENV,
    /// A running process loads a new key.
    FILE
  }

  /// The process name of commands; the operator gets keys like any process.
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

  /// The timings as a keystore stores them.
  public static Timings timings() {
    return Objects.requireNonNull(ProcessSettings.of(TIMINGS, LocalProcess.current()).timings());
  }

  /// The bytes of a version, as hex.
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

  /// Where a process with key files finds them.
  public Path keyFolder(String process) {
    return folder.resolve("keys-" + process);
  }

  public void removeKey(String process, int version) {
    keys.computeIfAbsent(process, _ -> new TreeSet<>()).remove(version);
    try {
      Files.deleteIfExists(keyFile(process, version));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Places a key as an operator does: by an atomic move, readable only by the owner.
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
      case FILE -> all.put("KEYFLEET_PROVIDER", "file:" + keyFolder(process));
    }
    return all;
  }

  /// Starts `keyfleet server` as shipped.
  public TestProcess startServer(String name, String... args) {
    return startServer(name, Map.of(), args);
  }

  public TestProcess startServer(
      String name, Map<String, String> extraEnvironment, String... args) {
    List<String> all = new ArrayList<>(List.of("server", "--roles", "worker"));
    all.addAll(List.of(args));
    TestProcess server = start(name, extraEnvironment, command(all));
    server.awaitLine("listening on");
    return server;
  }

  /// A command as the launcher starts it without a terminal.
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

  /// Runs an application task to its end and returns its result.
  public Document runApplication(String name, String... task) {
    return reportOf(startApplication(name, task));
  }

  public static Document reportOf(TestProcess application) {
    int exit = application.closeInput();
    assertEquals(0, exit, application::output);
    return Document.parse(Value.of(application.out().getLast()));
  }

  /// Runs a command of the operator.
  public Shell.Result run(String... args) {
    return run(Map.of(), args);
  }

  public Shell.Result run(Map<String, String> extraEnvironment, String... args) {
    TestProcess process = start(OPERATOR, extraEnvironment, command(List.of(args)));
    int exit = process.await();
    return new Shell.Result(exit, process.out(), process.err());
  }

  /// Runs a command that must end with this exit code.
  public Shell.Result run(int exit, String... args) {
    Shell.Result result = run(args);
    assertEquals(exit, result.exit(), () -> String.join(" ", args) + ": " + result);
    return result;
  }

  public InProcessOperator operator() {
    return new InProcessOperator(environment(OPERATOR), Failpoints.NONE);
  }

  public Path folder() {
    return folder;
  }

  @Override
  public void close() {
    started.forEach(TestProcess::close);
    stores.close();
  }
}
