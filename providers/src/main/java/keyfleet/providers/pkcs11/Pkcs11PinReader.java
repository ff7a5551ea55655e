package keyfleet.providers.pkcs11;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;
import keyfleet.providers.file.SecretFileReader;

/// Reads a PIN from where the settings say.
final class Pkcs11PinReader {
  private Pkcs11PinReader() {}

  /// The PIN, for the caller to close.
  static SecretBytes read(Pkcs11Settings.PinSource source) {
    byte[] pin =
        switch (source) {
          case Pkcs11Settings.PinFile(Path file) -> SecretFileReader.read(file);
          case Pkcs11Settings.PinDescriptor(int number) -> readDescriptor(number);
        };
    try {
      if (pin.length == 0) {
        throw emptyPin(source);
      }
      return SecretBytes.copyOf(pin);
    } finally {
      Arrays.fill(pin, (byte) 0);
    }
  }

  private static byte[] readDescriptor(int number) {
    try (InputStream in = Files.newInputStream(Path.of("/dev/fd/" + number))) {
      return SecretFileReader.stripLineFeed(in.readNBytes(SecretFileReader.MAX_BYTES));
    } catch (IOException e) {
      throw new ProviderException(
          "file descriptor " + number + ", where the PIN should come from, cannot be read",
          "start with the PIN on it: keyfleet … " + number + "<PIN-FILE",
          e);
    }
  }

  private static ProviderException emptyPin(Pkcs11Settings.PinSource source) {
    return switch (source) {
      case Pkcs11Settings.PinFile(Path file) ->
          new ProviderException(
              file + " is empty; it must hold the token's user PIN", "write the PIN into " + file);
      case Pkcs11Settings.PinDescriptor(int number) ->
          new ProviderException(
              "file descriptor " + number + " has no PIN, or a pipe that gave it once already",
              "restart, or use pin-file=FILE, which can be read again");
    };
  }
}
