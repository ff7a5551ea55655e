package keyfleet.cli.output;

import java.util.Locale;

/// Writes enum constants in lower case.
public final class EnumText {
  private EnumText() {}

  /// `DECRYPT_ONLY` becomes `decrypt-only`, for people.
  public static String toKebabCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// `DECRYPT_ONLY` becomes `decrypt_only`, for JSON.
  public static String toSnakeCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
