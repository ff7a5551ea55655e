package keyfleet.providers.pkcs11;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;
import keyfleet.providers.file.SecretFileReader;

/// Reads a PIN from the source in the settings.
final class Pkcs11PinReader {
  private Pkcs11PinReader() {}

  /// The PIN; the caller closes it.
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
          "file descriptor " + number + ", the source of the PIN, cannot be read",
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
              "file descriptor " + number + " has no PIN, or is a pipe that was already read",
              "restart, or use pin-file=FILE, which can be read again");
    };
  }
}
