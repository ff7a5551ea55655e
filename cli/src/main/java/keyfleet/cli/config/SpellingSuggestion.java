package keyfleet.cli.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/// What somebody may have meant who wrote a name that nothing has.
final class SpellingSuggestion {
  /// Longer words are nobody's slip of the finger.
  private static final int LONGEST = 64;

  private SpellingSuggestion() {}

  /// The known name that the fewest edits make of `word`; nothing if it took many.
  static Optional<String> nearest(String word, Collection<String> known) {
    if (word.length() > LONGEST) {
      return Optional.empty();
    }
    int most = 1 + word.length() / 4;
    return known.stream()
        .filter(name -> edits(word, name) <= most)
        .min(Comparator.comparingInt(name -> edits(word, name)));
  }

  /// Letters to insert, delete or replace.
  private static int edits(String from, String to) {
    int[] above = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] row = new int[to.length() + 1];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
      }
      above = row;
    }
    return above[to.length()];
  }
}
