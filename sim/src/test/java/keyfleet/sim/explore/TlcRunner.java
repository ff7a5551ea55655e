package keyfleet.sim.explore;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Runs the TLC model checker in its own process; it writes only into `folder`.
record TlcRunner(Path folder, int workers, Duration limit) {
  private static final Pattern STATES =
      Pattern.compile(
          "[\\d,]+ states generated, ([\\d,]+) distinct states found, (\\d+) states left.*");
  private static final Pattern VIOLATION = Pattern.compile("Error: (.* (?:is|were) violated)\\.");

  /// Exit codes of TLC.
  private static final int SUCCESS = 0;

  private static final int UNSAFE = 12;
  private static final int NOT_LIVE = 13;

  sealed interface Verdict {}

  record Holds(long states) implements Verdict {}

  /// `property` is TLC's message.
  record Violated(String property, long states) implements Verdict {}

  /// TLC proved nothing: the model has an error, or the check took too long.
  record Failed(String output) implements Verdict {}

  Verdict check(TlaModelConfig config) throws IOException, InterruptedException {
    String module = config.module() + ".tla";
    Files.copy(TlaModelConfig.SPEC.resolve(module), folder.resolve(module));
    Files.write(folder.resolve("model.cfg"), config.lines());
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command(module))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(limit.toSeconds(), TimeUnit.SECONDS);
      List<String> lines = Files.readAllLines(output);
      return ended ? verdict(process.exitValue(), lines) : failed(lines);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private List<String> command(String module) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseParallelGC",
        "-Xmx1g",
        "-Djava.io.tmpdir=" + folder,
        "-cp",
        jar().toString(),
        "tlc2.TLC",
        "-workers",
        Integer.toString(workers),
        "-metadir",
        folder.resolve("states").toString(),
        "-config",
        "model.cfg",
        module);
  }

  private static Path jar() {
    try {
      return Path.of(tlc2.TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("TLC is not in a file", e);
    }
  }

  private static Verdict verdict(int exit, List<String> lines) {
    long states = -1;
    long left = -1;
    String violation = "";
    for (String line : lines) {
      Matcher counted = STATES.matcher(line);
      if (counted.matches()) {
        states = Long.parseLong(counted.group(1).replace(",", ""));
        left = Long.parseLong(counted.group(2));
      }
      Matcher violated = VIOLATION.matcher(line);
      violation = violated.matches() && violation.isEmpty() ? violated.group(1) : violation;
    }
    if (exit == SUCCESS && left == 0) {
      return new Holds(states);
    }
    boolean caught = (exit == UNSAFE || exit == NOT_LIVE) && !violation.isEmpty();
    return caught ? new Violated(violation, states) : failed(lines);
  }

  private static Verdict failed(List<String> lines) {
    return new Failed(String.join("\n", lines));
  }
}
