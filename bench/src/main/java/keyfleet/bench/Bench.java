package keyfleet.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Runs one part of `./dev bench engines|rotation|verify|audit` and prints its figures on standard
/// output. JMH and hyperfine run the other parts.
public final class Bench {
  private static final String TRY = "Try: ./dev bench rotation --records 100000";

  private static final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
      super(message);
    }
  }

  private Bench() {}

  public static void main(String[] args) throws Exception {
    try (ScratchFolder scratch = ScratchFolder.create()) {
      run(args, scratch);
    } catch (UsageException e) {
      System.err.println("bench: " + e.getMessage());
      System.err.println(TRY);
      System.exit(1);
    }
  }

  private static void run(String[] args, ScratchFolder scratch) throws Exception {
    System.setProperty(
        "slf4j.internal.verbosity",
        "ERROR"); // otherwise slf4j warns that no provider is configured
    Stopwatch watch = new Stopwatch(System::nanoTime);
    String part = args.length == 0 ? "" : args[0];
    Map<String, String> options = options(args);
    switch (part) {
      case "engines" ->
          new EnginesBench(System.out, watch).run(engines(options, EnginesBench.ALL), scratch);
      case "rotation" ->
          new RotationBench(System.out, watch, number(options, "--records", 1_000_000))
              .run(engines(options, SqlDatabase.ENGINES), scratch);
      case "verify" ->
          new VerifyBench(System.out, watch, number(options, "--processes", 100_000))
              .run(engines(options, SqlDatabase.ENGINES), scratch);
      case "audit" ->
          new AuditBench(System.out, watch, number(options, "--entries", 100_000))
              .run(engines(options, SqlDatabase.ENGINES), scratch);
      default ->
          throw new UsageException(
              "unknown part " + part + "; use engines, rotation, verify or audit");
    }
  }

  private static Map<String, String> options(String[] args) throws UsageException {
    Map<String, String> options = new HashMap<>();
    for (int i = 1; i < args.length; i += 2) {
      if (i + 1 == args.length) {
        throw new UsageException(args[i] + " needs a value");
      }
      if (!List.of("--records", "--processes", "--entries", "--only").contains(args[i])) {
        throw new UsageException("unknown option " + args[i]);
      }
      options.put(args[i], args[i + 1]);
    }
    return options;
  }

  private static List<String> engines(Map<String, String> options, List<String> all)
      throws UsageException {
    String only = options.getOrDefault("--only", "");
    if (!only.isEmpty() && !all.contains(only)) {
      throw new UsageException("--only must be one of " + all + ", not " + only);
    }
    return only.isEmpty() ? all : List.of(only);
  }

  private static int number(Map<String, String> options, String name, int defaultValue)
      throws UsageException {
    String given = options.getOrDefault(name, String.valueOf(defaultValue));
    if (!given.matches("[1-9][0-9]{2,8}")) {
      throw new UsageException(name + " must be a number of at least 100, not " + given);
    }
    return Integer.parseInt(given);
  }
}
