package keyfleet.providers.pkcs11;

import java.nio.file.Path;

/// The module and label of a token, and the source of its PIN.
public record Pkcs11Settings(Path module, String tokenLabel, PinSource pin) {
  public Pkcs11Settings {
    if (tokenLabel.isBlank()) {
      throw new IllegalArgumentException(
          "a token label must not be blank: an unused slot has a blank label");
    }
  }

  /// The source of the PIN. The settings cannot hold the PIN itself: an argument is visible in the
  /// process list, a variable in `/proc`.
  public sealed interface PinSource {}

  /// A file that only its owner can read; see [SecretFileReader].
  public record PinFile(Path file) implements PinSource {}

  /// A file descriptor that this process inherited. A pipe yields its PIN once, so a token that
  /// disappears needs a restart; a file that the shell opened can be read again.
  public record PinDescriptor(int number) implements PinSource {}
}
