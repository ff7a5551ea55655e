package keyfleet.member;

import java.util.Base64;
import java.util.Optional;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;

/// A sealed value as an application stores it: as bytes in a column that the fleet counts and
/// fences, or as text in a message.
public record SealedValue(KeyringName keyring, Envelope envelope) {
  /// Returns nothing if `stored` is not a sealed value.
  public static Optional<SealedValue> parse(KeyringName keyring, byte[] stored) {
    return Envelope.parse(stored).map(envelope -> new SealedValue(keyring, envelope));
  }

  /// Parses the text that [#base64] returns.
  public static Optional<SealedValue> parse(KeyringName keyring, String base64) {
    try {
      return parse(keyring, Base64.getDecoder().decode(base64));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  public KekVersion version() {
    return envelope.version();
  }

  public byte[] bytes() {
    return envelope.toBytes();
  }

  public String base64() {
    return Base64.getEncoder().encodeToString(envelope.toBytes());
  }

  @Override
  public String toString() {
    return "SealedValue[" + keyring + " " + version() + "]";
  }
}
