package keyfleet.crypto;

import java.util.Locale;
import java.util.regex.Pattern;

/// The name of a series of KEK versions. Variables, files and token labels contain it, hence the
/// narrow alphabet: no underscore, so that only `a-b` becomes `A_B` in a variable.
public record KeyringName(String value) {
  private static final Pattern RULE = Pattern.compile("[a-z][a-z0-9-]{0,62}");

  public static final KeyringName MAIN = new KeyringName("main");

  public KeyringName {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not a keyring name: " + value);
    }
  }

  public static boolean isValid(String value) {
    return RULE.matcher(value).matches();
  }

  /// The name as it appears in an environment variable.
  public String toVariableForm() {
    return value.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  @Override
  public String toString() {
    return value;
  }
}
