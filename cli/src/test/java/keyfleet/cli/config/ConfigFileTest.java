package keyfleet.cli.config;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import keyfleet.cli.output.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which configuration file is read, and which files are refused.
class ConfigFileTest {
  private static final int SELF = (int) new UnixSystem().getUid();

  @TempDir Path folder = Path.of("");

  private Path write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    setMode(file, "rw-r--r--");
    return file;
  }

  private static void setMode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private static void assertRefused(Path file, int uid, String message, String remedy) {
    CommandException e = assertThrows(CommandException.class, () -> ConfigFile.read(file, uid));
    assertEquals(message.replace("FILE", file.toString()), e.getMessage());
    assertEquals(remedy.replace("FILE", file.toString()), e.remedy());
  }

  @Test
  void firstFolderWithAFile_wins() throws IOException {
    List<Path> folders = List.of(folder.resolve("here"), folder.resolve("etc"));
    assertEquals(Optional.empty(), ConfigFile.find(folders));
    Path etc = write("etc/keyfleet.yaml", "keyring: etc\n");
    assertEquals(
        Optional.of(new ConfigFile(etc.toString(), "keyring: etc\n")), ConfigFile.find(folders));
    Path here = write("here/keyfleet.yaml", "keyring: here\n");
    assertEquals(
        Optional.of(new ConfigFile(here.toString(), "keyring: here\n")), ConfigFile.find(folders));
  }

  @Test
  void unreadableFirstFile_isNotSkipped() throws IOException {
    setMode(write("here/keyfleet.yaml", "keyring: here\n"), "rw-rw-rw-");
    write("etc/keyfleet.yaml", "keyring: etc\n");
    assertThrows(
        CommandException.class,
        () -> ConfigFile.find(List.of(folder.resolve("here"), folder.resolve("etc"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-rw-r--", "rw-r--rw-", "r---w----", "rwxrwxrwx"})
  void fileThatOthersCanWrite_isRefused(String mode) throws IOException {
    Path file = write("k.yaml", "");
    setMode(file, mode);
    assertRefused(file, SELF, "FILE is writable by users other than its owner", "chmod go-w FILE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"r--------", "rw-------", "rw-r--r--", "r-xr-xr-x"})
  void fileOthersCanOnlyRead_isRead(String mode) throws IOException {
    Path file = write("k.yaml", "keyring: a\n");
    setMode(file, mode);
    assertEquals("keyring: a\n", ConfigFile.read(file, SELF).text());
  }

  @Test
  void fileOfAnotherUser_isRefusedUnlessThatIsRoot() throws IOException {
    Path file = write("k.yaml", "");
    if (SELF == 0) {
      assertEquals("", ConfigFile.read(file, 1234).text());
      Files.setAttribute(file, "unix:uid", 4321);
    }
    int owner = SELF == 0 ? 4321 : SELF;
    assertRefused(
        file,
        1234,
        "FILE belongs to user " + owner + "; it must belong to user 1234 or to root",
        "chown 1234 FILE");
  }

  @Test
  void link_isFollowed() throws IOException {
    Path file = write("real.yaml", "keyring: a\n");
    Path link = Files.createSymbolicLink(folder.resolve("k.yaml"), file);
    assertEquals("keyring: a\n", ConfigFile.read(link, SELF).text());
  }

  @Test
  void otherThanASmallTextFile_isRefused() throws IOException {
    assertRefused(folder, SELF, "FILE is not a regular file", "--config=keyfleet.yaml");
    assertRefused(
        folder.resolve("none.yaml"),
        SELF,
        "FILE does not exist",
        "create it, or pass another --config");
    assertRefused(
        write("big.yaml", "#".repeat(65_537)),
        SELF,
        "FILE has 65537 bytes; a configuration file may have at most 65536",
        "check that this is the right file");
    Path latin = write("latin.yaml", "");
    Files.write(latin, "instance: \u00e9".getBytes(ISO_8859_1));
    assertRefused(latin, SELF, "FILE is not text in UTF-8", "save it as UTF-8");
  }

  @Test
  void largestFile_isRead() throws IOException {
    Path file = write("big.yaml", "#".repeat(65_535) + "\n");
    assertTrue(ParsedConfig.of(ConfigFile.read(file, SELF)).values().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a\0b"})
  void invalidPath_isRefused(String name) {
    CommandException e = assertThrows(CommandException.class, () -> ConfigFile.readNamed(name));
    assertTrue(e.getMessage().endsWith(" is not a path"), e.getMessage());
    assertEquals("--config=keyfleet.yaml", e.remedy());
  }
}
