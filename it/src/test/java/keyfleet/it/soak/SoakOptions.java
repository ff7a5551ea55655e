package keyfleet.it.soak;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What `./dev soak plugin` was asked for.
///
/// @param record the Markdown file that gets a row, if any
record SoakOptions(
    Duration length, long seed, Path launcher, @Nullable Path record, String commit) {
  static final String TRY = "Try: ./dev soak plugin --minutes 10 --seed 1";

  static final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String sentence) {
      super(sentence);
    }
  }

  private static final Set<String> OPTIONS =
      Set.of("--minutes", "--seed", "--launcher", "--record", "--commit");
  private static final int MOST_MINUTES = 10_000;

  /// @param freshSeed for who names none
  static SoakOptions parse(List<String> words, long freshSeed) throws UsageException {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < words.size(); i += 2) {
      if (!OPTIONS.contains(words.get(i))) {
        throw new UsageException("there is no option " + words.get(i));
      }
      if (i + 1 == words.size()) {
        throw new UsageException(words.get(i) + " needs a value");
      }
      options.put(words.get(i), words.get(i + 1));
    }
    long minutes = number(options, "--minutes", 10);
    if (minutes < 1 || minutes > MOST_MINUTES) {
      throw new UsageException("--minutes is 1 to %d, not %d".formatted(MOST_MINUTES, minutes));
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
