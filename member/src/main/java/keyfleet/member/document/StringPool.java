package keyfleet.member.document;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.crypto.KekVersion;
import org.jspecify.annotations.Nullable;

/// What many heartbeats of a fleet have in common, kept once for all of them: they are held in
/// memory together, and mostly say the same.
final class StringPool {
  /// What is not common after so many is not kept, nor is a version from this number on.
  private static final int MAX_ENTRIES = 100;

  /// So many are looked through before a word is cut out of its line.
  private static final int MAX_SCANNED = 8;

  private final List<String> scanned = new ArrayList<>();
  private final Map<String, String> texts = new HashMap<>();
  private final @Nullable KekVersion[] versions = new KekVersion[MAX_ENTRIES];

  String intern(String text) {
    String known = texts.get(text);
    if (known == null && texts.size() < MAX_ENTRIES) {
      texts.put(text, text);
    }
    return known == null ? text : known;
  }

  /// A part of a line.
  String intern(String line, int from, int to) {
    for (String word : scanned) {
      if (word.length() == to - from && line.startsWith(word, from)) {
        return word;
      }
    }
    String word = intern(line.substring(from, to));
    if (scanned.size() < MAX_SCANNED) {
      scanned.add(word);
    }
    return word;
  }

  KekVersion version(long number) {
    if (number < 0 || number >= MAX_ENTRIES) {
      return FieldCodec.parseVersion(number);
    }
    KekVersion known = versions[(int) number];
    if (known == null) {
      known = FieldCodec.parseVersion(number);
      versions[(int) number] = known;
    }
    return known;
  }
}
