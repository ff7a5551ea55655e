package keyfleet.cli.config;

import java.time.Duration;
import keyfleet.cli.output.CommandException;
import keyfleet.providers.Ticker;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// Whether a command waits, and how long at most.
public record WaitOptions(boolean waits, Duration timeout) {
  private static final String WAIT = "--wait";
  private static final String TIMEOUT = "--timeout";
  private static final Duration USUAL = Duration.ofMinutes(10);

  /// Between two looks at the store.
  static final Duration LOOK = Duration.ofSeconds(1);

  public static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
            OptionSpec.builder(WAIT)
                .type(boolean.class)
                .description("Wait until it is so.")
                .build())
        .addOption(
            OptionSpec.builder(TIMEOUT)
                .paramLabel("DURATION")
                .type(String.class)
                .description("With --wait: at most so long (default: 10m).")
                .build());
  }

  public static WaitOptions of(ParseResult parsed) {
    boolean waits = parsed.matchedOptionValue(WAIT, false);
    if (!parsed.hasMatchedOption(TIMEOUT)) {
      return new WaitOptions(waits, USUAL);
    }
    if (!waits) {
      throw new CommandException(TIMEOUT + " means nothing without " + WAIT, WAIT + " as well");
    }
    Setting timeout = Setting.given(TIMEOUT, parsed.matchedOptionValue(TIMEOUT, ""));
    return new WaitOptions(true, timeout.duration("10m"));
  }

  /// On this clock, from now.
  public Deadline deadline(Ticker ticker) {
    return new Deadline(ticker, ticker.nanos(), timeout);
  }

  /// When waiting ends.
  public record Deadline(Ticker ticker, long began, Duration timeout) {
    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    public static Deadline never(Ticker ticker) {
      return new Deadline(ticker, ticker.nanos(), FOR_EVER);
    }

    public boolean isOver() {
      return Duration.ofNanos(ticker.nanos() - began).compareTo(timeout) >= 0;
    }

    /// Not beyond the end.
    public void pause() {
      Duration left = timeout.minus(Duration.ofNanos(ticker.nanos() - began));
      ticker.pause(left.compareTo(LOOK) < 0 ? left : LOOK);
    }
  }
}
