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

/// When the plugin may take the path of its socket.
final class SocketLockTest {
  @TempDir Path folder;

  @BeforeEach
  void restrictFolder() throws IOException {
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
  void otherAddress_isRefusedWithASentence(String text) {
    var refusal = assertThrows(PluginException.class, () -> SocketPath.parse(text));
    assertTrue(refusal.getMessage().contains("--listen=" + text), refusal::getMessage);
    assertTrue(refusal.remedy().contains("unix:///"), refusal::remedy);
    assertEquals(text.contains("@"), refusal.getMessage().contains("is an abstract socket"));
  }

  @Test
  void pathTooLongForTheKernel_isRefusedWithASentence() {
    String longest = "unix:///" + "x".repeat(106);
    assertEquals(107, SocketPath.parse(longest).toString().length());
    assertThrows(PluginException.class, () -> SocketPath.parse(longest + "x"));
  }

  @Test
  void missingFolder_isCreatedForTheOwnerOnly() throws IOException {
    SocketPath deep = SocketPath.parse("unix://" + folder.resolve("a/kms.sock"));
    SocketLock.acquire(deep).close();
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("a"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwxr-xr-x", "rwxrwx---", "rwx--x---"})
  void folderThatOthersMayEnter_isRefused(String mode) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
    var refusal = assertThrows(PluginException.class, () -> SocketLock.acquire(socket()));
    assertTrue(refusal.getMessage().contains(mode), refusal::getMessage);
    assertTrue(refusal.remedy().contains("0700"), refusal::remedy);
  }

  @Test
  void pathLockedByAnotherPlugin_isRefused() {
    try (SocketLock _ = SocketLock.acquire(socket())) {
      var refusal = assertThrows(PluginException.class, () -> SocketLock.acquire(socket()));
      assertTrue(refusal.getMessage().contains("is in use"), refusal::getMessage);
    }
    SocketLock.acquire(socket()).close();
  }

  @Test
  void socketThatAnswers_isRefusedAndKept() throws IOException {
    try (ServerSocketChannel live = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      live.bind(UnixDomainSocketAddress.of(socket().path()));
      var refusal = assertThrows(PluginException.class, () -> SocketLock.acquire(socket()));
      assertTrue(refusal.getMessage().contains("another process answers"), refusal::getMessage);
      assertTrue(Files.exists(socket().path()), "the socket of a live plugin was removed");
    }
  }

  @Test
  void socketOfADeadPlugin_isRemoved() throws IOException {
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(socket().path()));
    }
    assertTrue(Files.exists(socket().path()), "the JDK removed it itself");
    try (SocketLock _ = SocketLock.acquire(socket())) {
      assertFalse(Files.exists(socket().path()), "it is still there");
    }
  }

  @Test
  void fileThatIsNotASocket_isRefusedAndKept() throws IOException {
    Files.writeString(socket().path(), "a file");
    assertThrows(PluginException.class, () -> SocketLock.acquire(socket()));
    assertEquals("a file", Files.readString(socket().path()));
  }
}
