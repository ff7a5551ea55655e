package keyfleet.kms.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import keyfleet.kms.v2.KeyManagementServiceGrpc.KeyManagementServiceImplBase;
import keyfleet.member.process.ProcessEvent;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Which users may connect even if the modes of folder and socket let them. Only root can run a
/// process as another user.
final class PeerCheckTest {
  private static final int NOBODY = 65_534;

  /// Connects and prints how many bytes it can read: none if the plugin closes the connection.
  private static final String CONNECT =
      """
      import socket, sys
      peer = socket.socket(socket.AF_UNIX)
      peer.settimeout(10)
      try:
          peer.connect(sys.argv[1])
          peer.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
          print(len(peer.recv(9)))
      except (BrokenPipeError, ConnectionResetError):
          print(0)
      """;

  @TempDir Path folder;
  private final List<ProcessEvent> events = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void requireRoot() throws IOException {
    assumeTrue(SocketLock.ownUid() == 0, "needs root, to be another user");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
  }

  @ParameterizedTest
  @EnumSource
  void connectionOfAnotherUser_isClosed_andRootIsServed(SocketTransport transport)
      throws IOException, InterruptedException {
    Path socket = folder.resolve("kms.sock");
    try (UnixSocketServer _ =
        UnixSocketServer.start(
            SocketPath.parse("unix://" + socket),
            transport,
            new KeyManagementServiceImplBase() {}.bindService(),
            events::add)) {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
      assertEquals("9", connect(socket, 0));
      assertEquals("0", connect(socket, NOBODY));
    }
    assertEquals(
        1,
        events.stream()
            .filter(it -> it.message().startsWith("closed a connection of user "))
            .count());
  }

  private static String connect(Path socket, int uid) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
                "setpriv",
                "--reuid=" + uid,
                "--clear-groups",
                "python3",
                "-c",
                CONNECT,
                socket.toString())
            .redirectErrorStream(true);
    builder.environment().put("PATH", "/usr/bin:/bin");
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(30, TimeUnit.SECONDS), output);
    return output.strip().lines().reduce((_, last) -> last).orElse("");
  }
}
