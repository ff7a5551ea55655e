package keyfleet.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import keyfleet.providers.Ticker;

/// Runs the demonstration on real processes, in a temporary folder that is deleted afterwards.
final class LocalDemoFleet implements DemoFleet {
  private static final String OPERATOR = "operator";
  private static final Duration MAX_RUNTIME = Duration.ofMinutes(2);

  private static final int SIGINT_EXIT = 130;
  private static final int SIGTERM_EXIT = 143;

  /// The longest time between the signal to a command and that to this process.
  private static final Duration SIGNAL_DELAY = Duration.ofSeconds(2);

  /// Short timings, so that the demonstration takes about a minute.
  private static final Map<String, String> TIMINGS =
      Map.of(
          "KEYFLEET_TIMING_HEARTBEAT", "500ms",
          "KEYFLEET_TIMING_FRESH", "3s",
          "KEYFLEET_TIMING_LEASE", "4s",
          "KEYFLEET_TIMING_EXPIRE", "6s",
          "KEYFLEET_TIMING_ADOPT", "2s");

  private record RunningProcess(Process process, Path out, Path err) {}

  private final String launcher;
  private final Path folder;
  private final Ticker ticker;
  private final Map<String, RunningProcess> runningProcesses = new ConcurrentHashMap<>();
  private final Set<Process> runningCommands = ConcurrentHashMap.newKeySet();
  private final CountDownLatch stopped = new CountDownLatch(1);

  private LocalDemoFleet(String launcher, Path folder, Ticker ticker) {
    this.launcher = launcher;
    this.folder = folder;
    this.ticker = ticker;
  }

  static LocalDemoFleet open(String launcher, Ticker ticker) {
    try {
      Path folder = Files.createTempDirectory("keyfleet-demo");
      Files.createFile(
          folder.resolve("keyfleet.yaml")); // empty, so that no configuration of this host is read
      LocalDemoFleet fleet = new LocalDemoFleet(launcher, folder, ticker);
      fleet.createKeyFolder(OPERATOR);
      return fleet;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public CommandResult run(String... arguments) {
    RunningProcess command = startCommand(arguments);
    CommandResult result = awaitEnd(command);
    runningCommands.remove(command.process());
    if (result.exitCode() == SIGINT_EXIT || result.exitCode() == SIGTERM_EXIT) {
      requireNoSignal();
    }
    return result;
  }

  /// Creates no file while the folder is deleted.
  private synchronized RunningProcess startCommand(String... arguments) {
    requireNotStopped();
    try {
      Path out = Files.createTempFile(folder, "command", ".out");
      Path err = Files.createTempFile(folder, "command", ".err");
      Process process = spawn(OPERATOR, out, err, arguments);
      runningCommands.add(process);
      return new RunningProcess(process, out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Ctrl-C reaches the children too, and their end may be seen before this process has got the
  /// signal. Throws if it gets one: what a child did is then no result of the demonstration.
  private void requireNoSignal() {
    try {
      if (stopped.await(SIGNAL_DELAY.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new DemoStoppedException();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoStoppedException();
    }
  }

  private void requireNotStopped() {
    if (isStopped()) {
      throw new DemoStoppedException();
    }
  }

  boolean isStopped() {
    return stopped.getCount() == 0;
  }

  @Override
  public synchronized void start(String name, String... arguments) {
    Path out = folder.resolve(name + ".out");
    Path err = folder.resolve(name + ".err");
    createKeyFolder(name);
    runningProcesses.put(name, new RunningProcess(spawn(name, out, err, arguments), out, err));
  }

  /// Starts no process once the demonstration is stopped.
  private synchronized Process spawn(String name, Path out, Path err, String... arguments) {
    requireNotStopped();
    List<String> command = new ArrayList<>(List.of(launcher));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().keySet().removeIf(it -> it.startsWith("KEYFLEET_"));
    builder.environment().putAll(TIMINGS);
    builder.environment().put("KEYFLEET_STORE", "sqlite:fleet.db");
    builder.environment().put("KEYFLEET_PROVIDER", "file:keys/" + name);
    if (!name.equals(OPERATOR)) {
      builder.environment().put("KEYFLEET_INSTANCE", name);
    }
    builder.redirectInput(Path.of("/dev/null").toFile());
    builder.redirectOutput(out.toFile()).redirectError(err.toFile());
    try {
      return builder.start();
    } catch (IOException e) {
      requireNoSignal(); // which also ends the JDK's helper that starts the process
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long pid(String name) {
    return find(name).process().pid();
  }

  @Override
  public void kill(String name) {
    find(name).process().destroyForcibly();
    awaitEnd(find(name));
    runningProcesses.remove(name);
  }

  @Override
  public CommandResult stop(String name) {
    find(name).process().destroy();
    CommandResult result = awaitEnd(find(name));
    runningProcesses.remove(name);
    return result;
  }

  private RunningProcess find(String name) {
    RunningProcess found = runningProcesses.get(name);
    if (found == null) {
      throw new IllegalArgumentException("no demo process has this name: " + name);
    }
    return found;
  }

  private static CommandResult awaitEnd(RunningProcess process) {
    int exit = awaitExit(process.process());
    try {
      return new CommandResult(
          exit, Files.readAllLines(process.out()), Files.readAllLines(process.err()));
    } catch (NoSuchFileException e) {
      throw new DemoStoppedException(); // the folder is already deleted
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int awaitExit(Process process) {
    try {
      if (!process.waitFor(MAX_RUNTIME.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a process", e);
    }
  }

  @Override
  public void copyKey(int version, String name) {
    try {
      Files.copy(
          keyFile(OPERATOR, version),
          createKeyFolder(name).resolve(keyFile(OPERATOR, version).getFileName()),
          StandardCopyOption.COPY_ATTRIBUTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void deleteKey(int version) {
    try (Stream<Path> folders = Files.list(folder.resolve("keys"))) {
      for (Path keyFolder : folders.toList()) {
        Files.deleteIfExists(keyFile(keyFolder.getFileName().toString(), version));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path keyFile(String name, int version) {
    return folder.resolve("keys").resolve(name).resolve("main.v" + version + ".key");
  }

  private synchronized Path createKeyFolder(String name) {
    requireNotStopped();
    try {
      return Files.createDirectories(
          folder.resolve("keys").resolve(name),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void pause(Duration duration) {
    ticker.pause(duration);
  }

  /// Ends all processes and deletes the folder.
  void close() {
    stopped.countDown(); // first: the other thread may wait for it, and hold the lock
    endAll();
  }

  private synchronized void endAll() {
    runningCommands.forEach(Process::destroyForcibly);
    runningCommands.forEach(LocalDemoFleet::awaitExit);
    runningProcesses.values().forEach(it -> it.process().destroyForcibly());
    runningProcesses.values().forEach(LocalDemoFleet::awaitEnd);
    runningProcesses.clear();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
