package keyfleet.sim;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import keyfleet.sim.host.Fault.Kind;

/// `./dev soak --runs N --from SEED`: simulates N seeds and prints a summary as the last line. It
/// exits with 1 at the first violated invariant, and otherwise adds the runs to the track record.
public final class SimulationSoak {
  /// Runs at the end on a single thread. They measure one core after the JVM has compiled the hot
  /// code.
  private static final long SINGLE_THREAD_RUNS = 2_000;

  private static final String TRY = "Try: ./dev soak --runs 10000 --from 0";

  /// `record` is the Markdown file, `commit` the simulated commit.
  private record Settings(long runs, long from, Path record, String commit) {}

  private static final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
      super(message);
    }
  }

  private SimulationSoak() {}

  public static void main(String[] args) throws IOException {
    try {
      System.exit(run(parse(args)) ? 0 : 1);
    } catch (UsageException e) {
      System.err.println("soak: " + e.getMessage());
      System.err.println(TRY);
      System.exit(1);
    }
  }

  private static Settings parse(String[] args) throws UsageException {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < args.length; i += 2) {
      if (i + 1 == args.length) {
        throw new UsageException(args[i] + " needs a value");
      }
      options.put(args[i], args[i + 1]);
    }
    long runs = number(options, "--runs");
    long from = number(options, "--from");
    String record = options.getOrDefault("--record", "");
    String commit = options.getOrDefault("--commit", "unknown");
    for (String option : options.keySet()) {
      if (!List.of("--runs", "--from", "--record", "--commit").contains(option)) {
        throw new UsageException("there is no option " + option);
      }
    }
    if (runs < 1) {
      throw new UsageException("--runs is a positive integer, not " + runs);
    }
    return new Settings(runs, from, Path.of(record), commit);
  }

  private static long number(Map<String, String> options, String name) throws UsageException {
    String text = options.getOrDefault(name, "0");
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new UsageException(name + " is a 64-bit integer, not " + text);
    }
  }

  private static boolean run(Settings settings) throws IOException {
    Swarm swarm = new Swarm(CombinedFleet::draw);
    long singleThreadRuns = Math.min(SINGLE_THREAD_RUNS, settings.runs() / 10);
    Throughput throughput = new Throughput(System::nanoTime);
    Swarm.Result parallel = swarm.run(settings.from(), settings.runs() - singleThreadRuns);
    if (parallel.failure() != null) {
      return reportFailure(settings, parallel.failure());
    }
    String parallelRate = throughput.describe(parallel.totals().events());
    Throughput singleThroughput = new Throughput(System::nanoTime);
    Swarm.Result single =
        swarm.runOnOneThread(
            settings.from() + settings.runs() - singleThreadRuns, singleThreadRuns);
    if (single.failure() != null) {
      return reportFailure(settings, single.failure());
    }
    String singleRate = singleThroughput.describe(single.totals().events());
    SwarmTotals totals = parallel.totals().plus(single.totals());
    addToTrackRecord(settings, totals);
    System.out.printf(
        "soak: the last %,d runs, in one thread: %,d events (%s)%n",
        single.totals().runs(), single.totals().events(), singleRate);
    System.out.println(summary(settings, totals, parallelRate));
    return true;
  }

  private static boolean reportFailure(Settings settings, FailingSeed failure) {
    System.out.println(failure.report(settings.commit()));
    System.out.printf(
        "soak: BROKEN %s at seed %d, commit %s%n",
        failure.violation().invariant(), failure.seed(), settings.commit());
    return false;
  }

  private static String summary(Settings settings, SwarmTotals totals, String throughput) {
    return ("soak: %,d runs from seed %d kept every promise: %,d events (%s), %,d messages,"
            + " %,d faults")
        .formatted(
            totals.runs(),
            settings.from(),
            totals.events(),
            throughput,
            totals.messages(),
            totals.faultCount());
  }

  /// Seeds that were run before at the same commit prove nothing new and are not added.
  private static void addToTrackRecord(Settings settings, SwarmTotals totals) throws IOException {
    if (settings.record().toString().isEmpty()) {
      return;
    }
    TrackRecord record = new TrackRecord(settings.record());
    List<List<String>> rows = new ArrayList<>(record.rows("runs"));
    if (rows.stream().anyMatch(row -> hasCommonSeeds(row, settings))) {
      System.out.println("soak: some of these seeds are in the track record; nothing is added");
      return;
    }
    rows.add(
        List.of(
            settings.commit(),
            Long.toString(settings.from()),
            number(totals.runs()),
            number(totals.events()),
            number(totals.faultCount())));
    record.write("runs", rows);
    record.write("faults", faults(record.rows("faults"), totals));
  }

  private static boolean hasCommonSeeds(List<String> row, Settings settings) {
    long from = Long.parseLong(row.get(1));
    return row.getFirst().equals(settings.commit())
        && from < settings.from() + settings.runs()
        && settings.from() < from + count(row.get(2));
  }

  private static List<List<String>> faults(List<List<String>> known, SwarmTotals totals) {
    Map<Kind, Long> sum = new EnumMap<>(Kind.class);
    sum.putAll(totals.faults());
    for (List<String> row : known) {
      Kind kind = Kind.valueOf(row.getFirst().toUpperCase(Locale.ROOT).replace(' ', '_'));
      sum.merge(kind, count(row.get(1)), Long::sum);
    }
    List<List<String>> rows = new ArrayList<>();
    sum.forEach((kind, count) -> rows.add(List.of(kind.label(), number(count))));
    return rows;
  }

  private static long count(String cell) {
    return Long.parseLong(cell.replace(",", ""));
  }

  private static String number(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }
}
