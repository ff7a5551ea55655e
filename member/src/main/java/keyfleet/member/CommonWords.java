package keyfleet.member;

import java.util.HashMap;
import java.util.Map;
import keyfleet.crypto.KekVersion;

/// What many heartbeats of a fleet have in common, kept once for all of them: they are held in
/// memory together, and mostly say the same.
final class CommonWords {
  /// What is not common after so many is not kept.
  private static final int MOST = 100;

  private final Map<String, String> texts = new HashMap<>();
  private final Map<Long, KekVersion> versions = new HashMap<>();

  String text(String text) {
    String known = texts.get(text);
    if (known == null && texts.size() < MOST) {
      texts.put(text, text);
    }
    return known == null ? text : known;
  }

  KekVersion version(long number) {
    KekVersion known = versions.get(number);
    if (known != null) {
      return known;
    }
    KekVersion version = Spelling.version(number);
    if (versions.size() < MOST) {
      versions.put(number, version);
    }
    return version;
  }
}
