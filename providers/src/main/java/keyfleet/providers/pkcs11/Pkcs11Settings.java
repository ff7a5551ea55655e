package keyfleet.providers.pkcs11;

import java.nio.file.Path;

/// Where a token is and who may open it.
public record Pkcs11Settings(Path module, String tokenLabel, PinSource pin) {
  public Pkcs11Settings {
    if (tokenLabel.isBlank()) {
      throw new IllegalArgumentException("a token label is not blank: an unused slot's is");
    }
  }

  /// Where the PIN is read from. There is no way to write the PIN itself into the settings: an
  /// argument shows in the process list, a variable in `/proc`.
  public sealed interface PinSource {}

  /// A file that only its owner can read; see [SecretFileReader].
  public record PinFile(Path file) implements PinSource {}

  /// A file descriptor that this process inherited. A pipe gives its PIN once, so that a token
  /// which vanishes needs a restart; a file opened by the shell can be read again.
  public record PinDescriptor(int number) implements PinSource {}
}
