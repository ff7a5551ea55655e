package keyfleet.providers.pkcs11;

import java.util.Locale;

/// The CKR codes of PKCS#11 that this package reacts to or that an operator is likely to see.
enum CryptokiResult {
  OK(0x0),
  HOST_MEMORY(0x2),
  SLOT_ID_INVALID(0x3),
  GENERAL_ERROR(0x5),
  FUNCTION_FAILED(0x6),
  ARGUMENTS_BAD(0x7),
  CANT_LOCK(0xA),
  ATTRIBUTE_SENSITIVE(0x11),
  ATTRIBUTE_TYPE_INVALID(0x12),
  ATTRIBUTE_VALUE_INVALID(0x13),
  DEVICE_ERROR(0x30),
  DEVICE_MEMORY(0x31),
  DEVICE_REMOVED(0x32),
  ENCRYPTED_DATA_INVALID(0x40),
  ENCRYPTED_DATA_LEN_RANGE(0x41),
  AEAD_DECRYPT_FAILED(0x42),
  FUNCTION_NOT_SUPPORTED(0x54),
  KEY_HANDLE_INVALID(0x60),
  KEY_FUNCTION_NOT_PERMITTED(0x68),
  MECHANISM_INVALID(0x70),
  MECHANISM_PARAM_INVALID(0x71),
  OBJECT_HANDLE_INVALID(0x82),
  OPERATION_ACTIVE(0x90),
  OPERATION_NOT_INITIALIZED(0x91),
  PIN_INCORRECT(0xA0),
  PIN_INVALID(0xA1),
  PIN_LEN_RANGE(0xA2),
  PIN_EXPIRED(0xA3),
  PIN_LOCKED(0xA4),
  SESSION_CLOSED(0xB0),
  SESSION_COUNT(0xB1),
  SESSION_HANDLE_INVALID(0xB3),
  SESSION_READ_ONLY(0xB5),
  TEMPLATE_INCONSISTENT(0xD1),
  TOKEN_NOT_PRESENT(0xE0),
  TOKEN_NOT_RECOGNIZED(0xE1),
  TOKEN_WRITE_PROTECTED(0xE2),
  USER_ALREADY_LOGGED_IN(0x100),
  USER_NOT_LOGGED_IN(0x101),
  USER_PIN_NOT_INITIALIZED(0x102),
  BUFFER_TOO_SMALL(0x150),
  CRYPTOKI_NOT_INITIALIZED(0x190),
  CRYPTOKI_ALREADY_INITIALIZED(0x191);

  private final long code;

  CryptokiResult(long code) {
    this.code = code;
  }

  long code() {
    return code;
  }

  /// The name in the standard; an unknown code is shown as a number.
  static String nameOf(long code) {
    for (CryptokiResult result : values()) {
      if (result.code == code) {
        return "CKR_" + result.name();
      }
    }
    return String.format(Locale.ROOT, "CKR 0x%08x", code);
  }
}
