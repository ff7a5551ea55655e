package keyfleet.control.audit;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A position in an audit chain: the number of an entry and its hash, which covers all entries
/// before it. An operator who keeps a head outside the store can later check that the chain still
/// contains it.
public record AuditHead(long number, String hash) {
  private static final int DIGITS = 64;
  private static final Pattern FORMAT = Pattern.compile("(\\d{1,16}):([0-9a-f]{64})");

  /// Before the first entry.
  public static final AuditHead NONE = new AuditHead(0, "0".repeat(64));

  public AuditHead {
    if (number < 0 || !isHash(hash)) {
      throw new IllegalArgumentException("not the head of an audit chain: " + number + ":" + hash);
    }
  }

  private static boolean isHash(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return text.length() == DIGITS;
  }

  /// The reverse of [#toString]; empty if the text is not a head.
  public static Optional<AuditHead> parse(String text) {
    Matcher matcher = FORMAT.matcher(text);
    return matcher.matches()
        ? Optional.of(new AuditHead(Long.parseLong(matcher.group(1)), matcher.group(2)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return number + ":" + hash;
  }
}
