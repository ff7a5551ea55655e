package keyfleet.cli;

import java.util.Locale;

/// Constants as people and programs read them.
final class Words {
  private Words() {}

  /// `DECRYPT_ONLY` is `decrypt-only`.
  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// `DECRYPT_ONLY` is `decrypt_only`: a value in JSON.
  static String snake(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
