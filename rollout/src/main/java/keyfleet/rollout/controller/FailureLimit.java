package keyfleet.rollout.controller;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How many failed nodes are too many (R14): a number, or a share of the attempted nodes.
public sealed interface FailureLimit {
  Pattern TEXT = Pattern.compile("([1-9][0-9]{0,8})(%?)");

  /// This number is too many, however many nodes were attempted.
  record Nodes(int count) implements FailureLimit {
    public Nodes {
      if (count < 1) {
        throw new IllegalArgumentException("a failure limit is at least 1 node, not " + count);
      }
    }

    @Override
    public String toString() {
      return Integer.toString(count);
    }
  }

  /// This share of the attempted nodes is too much. Among the first few nodes, one failure may
  /// reach it.
  record Percent(int percent) implements FailureLimit {
    public Percent {
      if (percent < 1 || percent > 100) {
        throw new IllegalArgumentException("a failure limit is 1 to 100 percent, not " + percent);
      }
    }

    @Override
    public String toString() {
      return percent + "%";
    }
  }

  /// No limit of its own.
  record Unlimited() implements FailureLimit {
    @Override
    public String toString() {
      return "unlimited";
    }
  }

  default boolean isReached(FailureCount failures) {
    return failures.failed() > 0
        && switch (this) {
          case Nodes(int count) -> failures.failed() >= count;
          case Percent(int percent) -> failures.failed() * 100 >= percent * failures.attempted();
          case Unlimited _ -> false;
        };
  }

  /// Reads `5` or `5%`; empty if the text is neither.
  static Optional<FailureLimit> parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int number = Integer.parseInt(matcher.group(1));
    if (matcher.group(2).isEmpty()) {
      return Optional.of(new Nodes(number));
    }
    return number <= 100 ? Optional.of(new Percent(number)) : Optional.empty();
  }
}
