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
    StoreRefusedException e = assertThrows(StoreRefusedException.class, file::text);
    assertEquals(StoreRefusedException.Reason.NO_ENTRY, e.ground());
    assertFalse(e.remedy().isEmpty());
    assertFalse((e.getMessage() + e.remedy()).contains("swordfish"), e::getMessage);
    return e;
  }

  @ParameterizedTest
  @CsvSource({"r--------", "rw-------"})
  void ownersFile_isReadWithoutItsLineFeed(String mode) throws IOException {
    assertEquals("swordfish ", file("swordfish \n", mode).text());
    assertEquals(folder.resolve("secret").toString(), file("swordfish", mode).checked());
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r--r--", "rw-rw----", "rw----r--", "rw--w----", "rwx------"})
  void fileThatOthersReach_isRefused(String mode) throws IOException {
    String words = refusal(file("swordfish", mode)).getMessage();
    assertTrue(words.startsWith("password-file " + folder.resolve("secret")), words);
    assertTrue(words.contains(" has mode " + mode), words);
  }

  @Test
  void absentOrOtherThing_isRefused() throws IOException {
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
