package keyfleet.it.soak;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The options of `./dev soak plugin`.
///
/// @param record the Markdown file that gets a row, if any
record SoakOptions(
    Duration length, long seed, Path launcher, @Nullable Path record, String commit) {
  static final String TRY = "Try: ./dev soak plugin --minutes 10 --seed 1";

  static final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
      super(message);
    }
  }

  private static final Set<String> OPTIONS =
      Set.of("--minutes", "--seed", "--launcher", "--record", "--commit");
  private static final int MAX_MINUTES = 10_000;

  /// @param freshSeed the seed if the arguments contain none
  static SoakOptions parse(List<String> args, long freshSeed) throws UsageException {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < args.size(); i += 2) {
      if (!OPTIONS.contains(args.get(i))) {
        throw new UsageException("there is no option " + args.get(i));
      }
      if (i + 1 == args.size()) {
        throw new UsageException(args.get(i) + " needs a value");
      }
      options.put(args.get(i), args.get(i + 1));
    }
    long minutes = number(options, "--minutes", 10);
    if (minutes < 1 || minutes > MAX_MINUTES) {
      throw new UsageException("--minutes is 1 to %d, not %d".formatted(MAX_MINUTES, minutes));
    }
    String record = options.get("--record");
    return new SoakOptions(
        Duration.ofMinutes(minutes),
        number(options, "--seed", freshSeed),
        Path.of(options.getOrDefault("--launcher", "keyfleet")).toAbsolutePath(),
        record == null ? null : Path.of(record),
        options.getOrDefault("--commit", "unknown"));
  }

  private static long number(Map<String, String> options, String name, long usual)
      throws UsageException {
    String text = options.get(name);
    try {
      return text == null ? usual : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new UsageException(name + " is a 64-bit integer, not " + text);
    }
  }
}
