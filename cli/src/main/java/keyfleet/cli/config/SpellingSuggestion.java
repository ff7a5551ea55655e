package keyfleet.cli.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/// Suggests the known name that is closest to a misspelled one.
final class SpellingSuggestion {
  /// A longer word is not worth comparing: it is no known name with a typing error.
  private static final int MAX_LENGTH = 64;

  private SpellingSuggestion() {}

  /// The candidate with the smallest edit distance; empty if the distance is large.
  static Optional<String> nearest(String word, Collection<String> candidates) {
    if (word.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    int maxEdits = 1 + word.length() / 4;
    return candidates.stream()
        .filter(name -> editDistance(word, name) <= maxEdits)
        .min(Comparator.comparingInt(name -> editDistance(word, name)));
  }

  /// Counts the characters to insert, delete or replace.
  private static int editDistance(String from, String to) {
    int[] previousRow = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      previousRow[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] row = new int[to.length() + 1];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = previousRow[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(previousRow[j], row[j - 1]) + 1);
      }
      previousRow = row;
    }
    return previousRow[to.length()];
  }
}
