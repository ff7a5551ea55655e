package keyfleet.cli.config;

import java.time.Duration;
import keyfleet.cli.output.CommandException;
import keyfleet.providers.Ticker;
import picocli.CommandLine.ParseResult;

/// The options `--wait` and `--timeout`.
///
/// @param isForProof whether to wait until the proof of a rotation, which may need a person
public record WaitOptions(boolean shouldWait, boolean isForProof, Duration timeout) {
  private static final String WAIT = "--wait";
  private static final String PROOF = "proof";
  private static final SettingSpec<Duration> TIMEOUT =
      SettingSpec.ofFlag(
          "--timeout",
          "DURATION",
          "With --wait: the maximum time to wait (default: 10m).",
          it -> it.toDuration("10m"));
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

  /// The pause between two reads of the store.
  static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  public static CommandOptions addTo(CommandOptions options) {
    return options.flag(WAIT, "Wait for the result instead of returning at once.").add(TIMEOUT);
  }

  /// As [#addTo], for a command that may also wait for a proof.
  public static CommandOptions addWithProof(CommandOptions options) {
    return options
        .optionalText(
            WAIT,
            PROOF,
            "Wait for the result instead of returning at once; of a kms keyring, until all plugins"
                + " announce the new key, or with =proof until nothing needs the old one.")
        .add(TIMEOUT);
  }

  public static WaitOptions of(ParseResult parsed) {
    boolean shouldWait = parsed.hasMatchedOption(WAIT);
    Object value = parsed.<Object>matchedOptionValue(WAIT, "");
    boolean isForProof = value.equals(PROOF);
    if (value instanceof String text && !text.isEmpty() && !isForProof) {
      throw Setting.named(WAIT, text).invalidValue("a result to wait for; use proof", PROOF);
    }
    if (parsed.hasMatchedOption(TIMEOUT.flag()) && !shouldWait) {
      throw new CommandException(TIMEOUT.flag() + " has no effect without " + WAIT, WAIT);
    }
    return new WaitOptions(shouldWait, isForProof, TIMEOUT.find(parsed).orElse(DEFAULT_TIMEOUT));
  }

  /// Starts the timeout now.
  public Deadline startDeadline(Ticker ticker) {
    return new Deadline(ticker, ticker.nanos(), timeout);
  }

  /// The time at which waiting ends.
  public record Deadline(Ticker ticker, long startNanos, Duration timeout) {
    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    public static Deadline never(Ticker ticker) {
      return new Deadline(ticker, ticker.nanos(), FOR_EVER);
    }

    public boolean isReached() {
      return Duration.ofNanos(ticker.nanos() - startNanos).compareTo(timeout) >= 0;
    }

    /// Pauses until the next poll, but not past the end.
    public void pause() {
      Duration left = timeout.minus(Duration.ofNanos(ticker.nanos() - startNanos));
      ticker.pause(left.compareTo(POLL_INTERVAL) < 0 ? left : POLL_INTERVAL);
    }
  }
}
