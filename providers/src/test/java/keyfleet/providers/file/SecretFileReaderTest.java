package keyfleet.providers.file;

import static keyfleet.providers.ProviderFixtures.file;
import static keyfleet.providers.ProviderFixtures.refusal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which owners of a secret's file are accepted. The user of the reader is passed in, so that root
/// can test what other users see.
class SecretFileReaderTest {
  private static final int OWNER = (int) new UnixSystem().getUid();
  private static final int SOMEONE_ELSE = OWNER + 1;

  @TempDir Path folder = Path.of("");

  @Test
  void fileOfAnotherUser_isRefused() throws IOException {
    assumeTrue(OWNER == 0, "needs root: gives a file to another user");
    Path file = file(folder.resolve("secret"), "x", "r--------");
    Files.setAttribute(file, "unix:uid", 4711);
    String message = refusal(() -> SecretFileReader.read(file, SOMEONE_ELSE)).getMessage();
    assertTrue(message.contains("4711"), message);
  }

  /// The files of systemd's `LoadCredential` and Kubernetes' `fsGroup`: owned by root, readable by
  /// the group of the service.
  @ParameterizedTest
  @ValueSource(strings = {"r--r-----", "rw-r-----", "r--------"})
  void fileProvidedByRoot_isReadByAService(String mode) {
    assumeTrue(OWNER == 0, "needs root: makes a file of root's");
    Path file = file(folder.resolve("secret"), "x", mode);
    assertArrayEquals(new byte[] {'x'}, SecretFileReader.read(file, SOMEONE_ELSE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"r--r--r--", "rw-rw----", "r--r----x"})
  void fileProvidedByRootToEveryone_isRefused(String mode) {
    assumeTrue(OWNER == 0, "needs root: makes a file of root's");
    Path file = file(folder.resolve("secret"), "x", mode);
    assertTrue(
        refusal(() -> SecretFileReader.read(file, SOMEONE_ELSE)).getMessage().contains(mode));
  }

  @Test
  void missingFile_isNamed() {
    Path file = folder.resolve("none");
    assertTrue(refusal(() -> SecretFileReader.read(file)).getMessage().contains(file.toString()));
  }
}
