package keyfleet.rollout.target;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Locale;
import keyfleet.rollout.NodeId;

/// A regular expression over a whole node id. RE2/J runs in linear time, so no expression can stall
/// the driver's only thread. It has no lookaround and no backreferences.
public final class NodeIdRegex {
  public static final int MAX_LENGTH = 512;

  private final Pattern pattern;

  public NodeIdRegex(String text) {
    if (text.isEmpty()) {
      throw new TargetSyntaxException(0, "empty regex");
    }
    if (text.length() > MAX_LENGTH) {
      throw new TargetSyntaxException(
          MAX_LENGTH, "a regex has at most " + MAX_LENGTH + " characters");
    }
    RegexChecker.check(text);
    this.pattern = compile(text);
  }

  /// RE2/J reports the offending fragment, not its index.
  private static Pattern compile(String text) {
    try {
      return Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      String fragment = e.getPattern() == null ? "" : e.getPattern();
      int found = fragment.isEmpty() ? text.length() - 1 : Math.max(0, text.indexOf(fragment));
      throw new TargetSyntaxException(
          found, e.getDescription().toLowerCase(Locale.ROOT) + " in the regex");
    }
  }

  public boolean matches(NodeId node) {
    return pattern.matches(node.value());
  }

  public String text() {
    return pattern.pattern();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NodeIdRegex that && text().equals(that.text());
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }

  @Override
  public String toString() {
    return text();
  }
}
