package keyfleet.it.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Runs a command line in a folder, without the caller's Keyfleet settings.
public record Shell(Path folder, Map<String, String> environment) {
  private static final long LIMIT_SECONDS = 300;

  /// The result of a command.
  public record Result(int exit, List<String> out, List<String> err) {}

  public Result run(String command) {
    try {
      Path out = Files.createTempFile("keyfleet-it", ".out");
      Path err = Files.createTempFile("keyfleet-it", ".err");
      try {
        Process process = start(command, ProcessBuilder.Redirect.to(out.toFile()), err);
        int exit = await(process, command);
        return new Result(exit, Files.readAllLines(out), Files.readAllLines(err));
      } finally {
        Files.delete(out);
        Files.delete(err);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Process start(String command, ProcessBuilder.Redirect out, Path err) {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).directory(folder.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("KEYFLEET_"));
    builder.environment().putAll(environment);
    builder.redirectInput(Path.of("/dev/null").toFile());
    builder.redirectOutput(out).redirectError(err.toFile());
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static int await(Process process, String command) {
    try {
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException(command + " did not end in " + LIMIT_SECONDS + " s");
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for: " + command, e);
    }
  }
}
