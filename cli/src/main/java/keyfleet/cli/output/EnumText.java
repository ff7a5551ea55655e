package keyfleet.cli.output;

import java.util.Locale;

/// Constants as people and programs read them.
public final class EnumText {
  private EnumText() {}

  /// `DECRYPT_ONLY` is `decrypt-only`.
  public static String toKebabCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// `DECRYPT_ONLY` is `decrypt_only`: a value in JSON.
  public static String toSnakeCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
