package keyfleet.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// A process, mostly a JVM, with its own environment and none of the caller's Keyfleet settings.
/// Its output goes to files. It ends with the test's JVM at the latest.
public final class TestProcess implements AutoCloseable {
  /// A class with a `main`, its JVM options (system properties included) and its arguments.
  public record JavaProgram(List<String> options, String main, List<String> args) {
    public JavaProgram(String main, String... args) {
      this(List.of(), main, List.of(args));
    }
  }

  /// JVM options for many short-lived processes: quick compilation, small heaps. Messages of the
  /// JVM itself go to standard error.
  static final List<String> JVM =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-Xmx256m",
          "--enable-native-access=ALL-UNNAMED",
          "-Xlog:disable",
          "-Xlog:all=error:stderr");

  static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  private static final long LIMIT_SECONDS = 120;

  /// The running processes, for the shutdown hook that kills what an aborted test leaves behind.
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private final String name;
  private final Process process;
  private final Path out;
  private final Path err;

  private TestProcess(String name, Process process, Path out, Path err) {
    this.name = name;
    this.process = process;
    this.out = out;
    this.err = err;
    RUNNING.add(process);
  }

  /// `name` is used for its files in the folder and in messages.
  public static TestProcess start(
      Path folder, String name, Map<String, String> environment, JavaProgram program) {
    List<String> command = new ArrayList<>();
    command.add(JAVA);
    command.addAll(JVM);
    command.addAll(TestClassArchive.options());
    command.addAll(program.options());
    command.add(program.main());
    command.addAll(program.args());
    return startCommand(folder, name, environment, command);
  }

  /// Starts any other program.
  public static TestProcess startCommand(
      Path folder, String name, Map<String, String> environment, List<String> command) {
    try {
      Path out = Files.createTempFile(folder, name + "-", ".out");
      Path err = Files.createTempFile(folder, name + "-", ".err");
      ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
      builder.environment().keySet().removeIf(it -> it.startsWith("KEYFLEET_"));
      builder.environment().putAll(environment);
      builder.redirectOutput(out.toFile()).redirectError(err.toFile());
      return new TestProcess(name, builder.start(), out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String name() {
    return name;
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public List<String> out() {
    return lines(out);
  }

  public List<String> err() {
    return lines(err);
  }

  /// Complete lines only: the last line may be half written.
  private static List<String> lines(Path file) {
    try {
      String text = Files.readString(file);
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Waits until either stream has a line with this text; the process must not end before.
  public String awaitLine(String text) {
    Await.until(
        name + " prints: " + text,
        () -> {
          boolean ended = !isAlive();
          if (findLine(text).isEmpty() && ended) {
            throw new AssertionError(name + " ended without printing: " + text + output());
          }
          return !findLine(text).isEmpty();
        },
        this::output);
    return findLine(text);
  }

  private String findLine(String text) {
    List<String> all = new ArrayList<>(out());
    all.addAll(err());
    return all.stream().filter(it -> it.contains(text)).findFirst().orElse("");
  }

  public String output() {
    return "%noutput of %s:%n%s%n%s"
        .formatted(name, String.join("\n", out()), String.join("\n", err()));
  }

  /// Writes a line to its standard input.
  public void writeLine(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(name + " does not read its input" + output(), e);
    }
  }

  /// Closes its standard input, which ends our test programs.
  int closeInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return await();
  }

  /// SIGTERM.
  public int stop() {
    process.destroy();
    return await();
  }

  /// SIGKILL.
  public void kill() {
    process.destroyForcibly();
    var _ = await();
  }

  /// SIGSTOP: the process keeps its memory and does nothing.
  public void freeze() {
    signal("STOP");
  }

  /// SIGCONT.
  public void thaw() {
    signal("CONT");
  }

  private void signal(String which) {
    try {
      int exit = new ProcessBuilder("kill", "-" + which, "" + pid()).start().waitFor();
      if (exit != 0) {
        throw new IllegalStateException(name + " cannot be sent SIG" + which + output());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public int await() {
    try {
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(name + " did not end in " + LIMIT_SECONDS + " s" + output());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// Kills it at once, frozen or not.
  @Override
  public void close() {
    var _ = process.destroyForcibly().onExit().join(); // also where a timeout interrupts the test
    RUNNING.remove(process);
  }
}
