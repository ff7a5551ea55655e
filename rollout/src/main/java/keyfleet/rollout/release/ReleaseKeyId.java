package keyfleet.rollout.release;

import java.util.regex.Pattern;

/// The name of a pinned release key.
public record ReleaseKeyId(String value) {
  private static final Pattern RULE = Pattern.compile("[0-9A-Za-z][0-9A-Za-z._-]{0,63}");

  public ReleaseKeyId {
    if (!RULE.matcher(value).matches()) {
      throw new IllegalArgumentException("not a key id: " + value);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
