package keyfleet.providers;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;

/// A key as text: 64 hex digits. It works on bytes and wipes them, because a `String` cannot be
/// wiped.
public final class KeyHex {
  private static final int DIGITS = 2 * SoftwareKek.BYTES;

  /// The rule that messages about an invalid key quote; the key itself is never shown.
  public static final String RULE = "a key is " + DIGITS + " hex digits";

  private KeyHex() {}

  /// The key; empty if `text` is not exactly 64 hex digits. Wipes `text`.
  public static Optional<SecretBytes> parse(byte[] text) {
    byte[] key = new byte[SoftwareKek.BYTES];
    try {
      return text.length == DIGITS && tryDecode(text, key)
          ? Optional.of(SecretBytes.copyOf(key))
          : Optional.empty();
    } finally {
      Arrays.fill(text, (byte) 0);
      Arrays.fill(key, (byte) 0);
    }
  }

  private static boolean tryDecode(byte[] text, byte[] key) {
    for (int i = 0; i < text.length; i++) {
      if (!HexFormat.isHexDigit(text[i])) {
        return false;
      }
      key[i / 2] = (byte) (key[i / 2] << 4 | HexFormat.fromHexDigit(text[i]));
    }
    return true;
  }

  /// The digits and a line feed; the caller wipes them.
  public static byte[] format(SecretBytes key) {
    byte[] bytes = key.reveal(SecretAccess.granted());
    byte[] text = new byte[2 * bytes.length + 1];
    HexFormat hex = HexFormat.of();
    for (int i = 0; i < bytes.length; i++) {
      text[2 * i] = (byte) hex.toHighHexDigit(bytes[i]);
      text[2 * i + 1] = (byte) hex.toLowHexDigit(bytes[i]);
    }
    text[text.length - 1] = '\n';
    Arrays.fill(bytes, (byte) 0);
    return text;
  }
}
