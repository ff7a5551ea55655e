package keyfleet.store.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import keyfleet.store.StoreRefusedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateFileTest {
  @TempDir Path folder = Path.of("");

  private PrivateFile file(String text, String mode) throws IOException {
    Path path = Files.writeString(folder.resolve("secret"), text);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    return new PrivateFile("password-file", path.toString());
  }

  private static StoreRefusedException refusal(PrivateFile file) {
    StoreRefusedException e = assertThrows(StoreRefusedException.class, file::readText);
    assertEquals(StoreRefusedException.Reason.NO_ACCESS, e.reason());
    assertFalse(e.remedy().isEmpty());
    assertFalse((e.getMessage() + e.remedy()).contains("swordfish"), e::getMessage);
    return e;
  }

  @ParameterizedTest
  @CsvSource({"r--------", "rw-------"})
  void ownersFile_isReadWithoutItsLineFeed(String mode) throws IOException {
    assertEquals("swordfish ", file("swordfish \n", mode).readText());
    assertEquals(folder.resolve("secret").toString(), file("swordfish", mode).checkedPath());
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r--r--", "rw-rw----", "rw----r--", "rw--w----", "rwx------"})
  void fileThatOthersCanAccess_isRefused(String mode) throws IOException {
    String message = refusal(file("swordfish", mode)).getMessage();
    assertTrue(message.startsWith("password-file " + folder.resolve("secret")), message);
    assertTrue(message.contains(" has mode " + mode), message);
  }

  @Test
  void absentFileOrFolder_isRefused() throws IOException {
    assertTrue(
        refusal(new PrivateFile("creds", folder.resolve("none"))).getMessage().contains("exist"),
        "the file is absent");
    Path inside = Files.createDirectory(folder.resolve("folder"));
    Files.setPosixFilePermissions(inside, PosixFilePermissions.fromString("rw-------"));
    assertTrue(
        refusal(new PrivateFile("creds", inside)).getMessage().contains("is not a regular file"),
        "the path is a folder");
    refusal(file("x".repeat((64 << 10) + 1), "rw-------"));
  }
}
