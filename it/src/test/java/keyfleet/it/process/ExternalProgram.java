package keyfleet.it.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/// Third-party programs that tests run; `./dev` builds them.
public enum ExternalProgram {
  ETCD,
  KUBE_APISERVER,
  UPSTREAM;

  /// The path of the program. Without it the test is skipped with a message.
  public String path() {
    String variable = "KEYFLEET_TEST_" + this;
    String path = System.getenv(variable);
    assumeTrue(path != null, variable + " is not set: ./dev builds this program with Go");
    return path == null ? "" : path;
  }

  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
