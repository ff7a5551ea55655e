package keyfleet.member.document;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.crypto.KekVersion;
import org.jspecify.annotations.Nullable;

/// Keeps one copy of the texts and versions that many heartbeats share. A whole roster is in memory
/// at once, and most of its texts are equal.
final class StringPool {
  /// The most texts to keep. Versions from this number on are not kept either.
  private static final int MAX_ENTRIES = 100;

  /// How many texts are compared with a part of a line before that part is copied.
  private static final int MAX_SCANNED = 8;

  private final List<String> scanned = new ArrayList<>();
  private final Map<String, String> texts = new HashMap<>();
  private final @Nullable KekVersion[] versions = new KekVersion[MAX_ENTRIES];

  String intern(String text) {
    String pooled = texts.get(text);
    if (pooled == null && texts.size() < MAX_ENTRIES) {
      texts.put(text, text);
    }
    return pooled == null ? text : pooled;
  }

  /// Interns a part of a line.
  String intern(String line, int from, int to) {
    for (String text : scanned) {
      if (text.length() == to - from && line.startsWith(text, from)) {
        return text;
      }
    }
    String text = intern(line.substring(from, to));
    if (scanned.size() < MAX_SCANNED) {
      scanned.add(text);
    }
    return text;
  }

  KekVersion version(long number) {
    if (number < 0 || number >= MAX_ENTRIES) {
      return FieldCodec.parseVersion(number);
    }
    KekVersion pooled = versions[(int) number];
    if (pooled == null) {
      pooled = FieldCodec.parseVersion(number);
      versions[(int) number] = pooled;
    }
    return pooled;
  }
}
