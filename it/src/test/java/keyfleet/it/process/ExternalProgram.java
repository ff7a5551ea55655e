package keyfleet.it.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/// Programs of others that tests run; `./dev` builds them.
public enum ExternalProgram {
  ETCD,
  KUBE_APISERVER,
  UPSTREAM;

  /// Where it lies. Without it the test is skipped, and says so.
  public String path() {
    String variable = "KEYFLEET_TEST_" + this;
    String path = System.getenv(variable);
    assumeTrue(path != null, variable + " names no program: it needs Go to be built");
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
