package keyfleet.kms;

import java.util.Locale;

/// The methods of the contract.
enum Method {
  STATUS,
  ENCRYPT,
  DECRYPT;

  /// As the contract spells it.
  String word() {
    return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
  }
}
