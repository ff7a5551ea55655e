package keyfleet.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import keyfleet.providers.Ticker;

/// The demonstration on real processes, in a folder that is gone afterwards.
final class LocalDemoFleet implements DemoFleet {
  private static final String OPERATOR = "operator";
  private static final Duration LONGEST = Duration.ofMinutes(2);

  /// Short, so that a minute is enough.
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
  private final Map<String, RunningProcess> running = new ConcurrentHashMap<>();

  private LocalDemoFleet(String launcher, Path folder, Ticker ticker) {
    this.launcher = launcher;
    this.folder = folder;
    this.ticker = ticker;
  }

  static LocalDemoFleet open(String launcher, Ticker ticker) {
    try {
      Path folder = Files.createTempDirectory("keyfleet-demo");
      Files.createFile(folder.resolve("keyfleet.yaml")); // empty: nothing of this host's is read
      LocalDemoFleet stage = new LocalDemoFleet(launcher, folder, ticker);
      stage.keys(OPERATOR);
      return stage;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public CommandResult run(String... words) {
    try {
      Path out = Files.createTempFile(folder, "command", ".out");
      Path err = Files.createTempFile(folder, "command", ".err");
      return ended(new RunningProcess(spawn(OPERATOR, out, err, words), out, err));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void start(String name, String... words) {
    Path out = folder.resolve(name + ".out");
    Path err = folder.resolve(name + ".err");
    keys(name);
    running.put(name, new RunningProcess(spawn(name, out, err, words), out, err));
  }

  private Process spawn(String name, Path out, Path err, String... words) {
    List<String> command = new ArrayList<>(List.of(launcher));
    command.addAll(List.of(words));
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
    ended(find(name));
    running.remove(name);
  }

  @Override
  public CommandResult stop(String name) {
    find(name).process().destroy();
    CommandResult answer = ended(find(name));
    running.remove(name);
    return answer;
  }

  private RunningProcess find(String name) {
    RunningProcess found = running.get(name);
    if (found == null) {
      throw new IllegalArgumentException("nobody of this name is on the stage: " + name);
    }
    return found;
  }

  private static CommandResult ended(RunningProcess one) {
    try {
      if (!one.process().waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
        one.process().destroyForcibly();
      }
      int exit = one.process().waitFor();
      return new CommandResult(exit, Files.readAllLines(one.out()), Files.readAllLines(one.err()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a process", e);
    }
  }

  @Override
  public void hand(int version, String name) {
    try {
      Files.copy(
          key(OPERATOR, version),
          keys(name).resolve(key(OPERATOR, version).getFileName()),
          StandardCopyOption.COPY_ATTRIBUTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void delete(int version) {
    try (Stream<Path> folders = Files.list(folder.resolve("keys"))) {
      for (Path one : folders.toList()) {
        Files.deleteIfExists(key(one.getFileName().toString(), version));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path key(String name, int version) {
    return folder.resolve("keys").resolve(name).resolve("main.v" + version + ".key");
  }

  private Path keys(String name) {
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

  /// Ends all that run, and deletes the folder.
  void close() {
    running.values().forEach(it -> it.process().destroyForcibly());
    running.values().forEach(LocalDemoFleet::ended);
    running.clear();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(one);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
