package keyfleet.providers;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import org.junit.jupiter.api.function.Executable;

/// Test data of this module: keys, versions and key files.
public final class ProviderFixtures {
  /// Recognisable, so that a test can search for them where they must not appear.
  public static final String KEY_1 = "c0ffee01".repeat(8);

  public static final String KEY_2 = "DECADE02".repeat(8);
  public static final SecureRandom RANDOM = new SecureRandom();

  private ProviderFixtures() {}

  public static KekVersion v(int number) {
    return new KekVersion(number);
  }

  public static List<Integer> versions(KekSet kekSet) {
    return kekSet.versions().stream().map(KekVersion::number).toList();
  }

  public static boolean canRoundTrip(KekSet kekSet, int version) {
    return new EnvelopeCipher(kekSet, RANDOM).canRoundTrip(v(version));
  }

  public static ProviderException refusal(Executable action) {
    return assertThrows(ProviderException.class, action);
  }

  public static Path file(Path path, String text, String mode) {
    try {
      Files.writeString(path, text);
      return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Path keyFile(Path folder, String name, String key) {
    return file(folder.resolve(name), key, "r--------");
  }
}
