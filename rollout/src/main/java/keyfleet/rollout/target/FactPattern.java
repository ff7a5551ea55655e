package keyfleet.rollout.target;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A path of keys and a glob for its value, `key:subkey:glob`. A value may itself contain colons,
/// so the text has several interpretations: `a:b:c` is `c` at `a.b`, or `b:c` at `a`. The longest
/// path that the node has a fact for decides.
public final class FactPattern {
  private record Reading(String path, GlobPattern value) {}

  private final String text;
  private final List<Reading> readings;

  public FactPattern(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new TargetSyntaxException(text.length(), "a fact must be key:value");
    }
    if (colon == 0) {
      throw new TargetSyntaxException(0, "a fact needs a key");
    }
    if (hasWildcard(text.substring(0, colon))) {
      throw new TargetSyntaxException(0, "the key of a fact must not have wildcards");
    }
    if (colon == text.length() - 1) {
      throw new TargetSyntaxException(text.length(), "a fact needs a value; use * for any");
    }
    this.text = text;
    this.readings = parse(text, colon);
  }

  private static boolean hasWildcard(String part) {
    return part.chars().anyMatch(GlobPattern::isSpecial);
  }

  /// Longest path first. A part with a wildcard is not a key and ends the paths.
  private static List<Reading> parse(String text, int firstColon) {
    List<Reading> readings = new ArrayList<>();
    int colon = firstColon;
    while (colon >= 0 && colon < text.length() - 1 && !hasWildcard(text.substring(0, colon))) {
      String path = text.substring(0, colon).replace(':', '.');
      readings.addFirst(new Reading(path, parseValue(text, colon + 1)));
      colon = text.indexOf(':', colon + 1);
    }
    return List.copyOf(readings);
  }

  private static GlobPattern parseValue(String text, int start) {
    try {
      return GlobPattern.caseInsensitive(text.substring(start));
    } catch (TargetSyntaxException e) {
      throw new TargetSyntaxException(start + e.offset(), e.reason());
    }
  }

  public TargetMatch matches(Facts facts) {
    for (Reading reading : readings) {
      Optional<List<String>> known = facts.valuesAt(reading.path());
      if (known.isPresent()) {
        return TargetMatch.of(known.get().stream().anyMatch(reading.value()::matches));
      }
      if (reading.value().isMatchAll() && facts.hasValueBelow(reading.path())) {
        return TargetMatch.YES;
      }
    }
    return TargetMatch.UNKNOWN;
  }

  public String text() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FactPattern that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
