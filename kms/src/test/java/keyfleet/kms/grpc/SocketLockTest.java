package keyfleet.kms.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import keyfleet.kms.PluginException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whose the socket's path is.
final class SocketLockTest {
  @TempDir Path folder;

  @BeforeEach
  void own() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
  }

  private SocketPath socket() {
    return SocketPath.parse("unix://" + folder.resolve("kms.sock"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/run/kms.sock",
        "tcp://localhost:1",
        "unix://",
        "unix://kms.sock",
        "unix:///",
        "unix:///run/",
        "unix:///@abstract",
        "unix://@abstract"
      })
  void otherAddress_isRefusedInWords(String text) {
    var refusal = assertThrows(PluginException.class, () -> SocketPath.parse(text));
    assertTrue(refusal.getMessage().contains("--listen=" + text), refusal::getMessage);
    assertTrue(refusal.remedy().contains("unix:///"), refusal::remedy);
    assertEquals(text.contains("@"), refusal.getMessage().contains("is an abstract socket"));
  }

  @Test
  void pathThatTheKernelCannotHold_isRefusedInWords() {
    String longest = "unix:///" + "x".repeat(106);
    assertEquals(107, SocketPath.parse(longest).toString().length());
    assertThrows(PluginException.class, () -> SocketPath.parse(longest + "x"));
  }

  @Test
  void missingFolder_isMadeForTheOwnerAlone() throws IOException {
    SocketPath deep = SocketPath.parse("unix://" + folder.resolve("a/kms.sock"));
    SocketLock.acquire(deep).close();
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("a"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwxr-xr-x", "rwxrwx---", "rwx--x---"})
  void folderOfOthersToo_isRefused(String mode) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
    var refusal = assertThrows(PluginException.class, () -> SocketLock.acquire(socket()));
    assertTrue(refusal.getMessage().contains(mode), refusal::getMessage);
    assertTrue(refusal.remedy().contains("0700"), refusal::remedy);
  }

  @Test
  void pathThatAnotherPluginHolds_isRefused() {
    try (SocketLock _ = SocketLock.acquire(socket())) {
      var refusal = assertThrows(PluginException.class, () -> SocketLock.acquire(socket()));
      assertTrue(refusal.getMessage().contains("is in use"), refusal::getMessage);
    }
    SocketLock.acquire(socket()).close();
  }

  @Test
  void socketOfWhoAnswers_isRefusedAndLeftAlone() throws IOException {
    try (ServerSocketChannel live = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      live.bind(UnixDomainSocketAddress.of(socket().path()));
      var refusal = assertThrows(PluginException.class, () -> SocketLock.acquire(socket()));
      assertTrue(refusal.getMessage().contains("somebody answers"), refusal::getMessage);
      assertTrue(Files.exists(socket().path()), "the socket of a live plugin was removed");
    }
  }

  @Test
  void socketOfTheDead_isRemoved() throws IOException {
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(socket().path()));
    }
    assertTrue(Files.exists(socket().path()), "the JDK removed it itself");
    try (SocketLock _ = SocketLock.acquire(socket())) {
      assertFalse(Files.exists(socket().path()), "it is still there");
    }
  }

  @Test
  void fileThatIsNoSocket_isRefusedAndLeftAlone() throws IOException {
    Files.writeString(socket().path(), "somebody's");
    assertThrows(PluginException.class, () -> SocketLock.acquire(socket()));
    assertEquals("somebody's", Files.readString(socket().path()));
  }
}
