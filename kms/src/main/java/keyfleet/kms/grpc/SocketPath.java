package keyfleet.kms.grpc;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import keyfleet.kms.PluginException;

/// The path of the plugin's socket, given as `unix:///PATH`.
public record SocketPath(Path path) {
  private static final String SCHEME = "unix://";

  /// The length that fits into the kernel's address, with its terminating zero.
  private static final int MAX_BYTES = 107;

  /// Throws [PluginException] for any other form.
  public static SocketPath parse(String text) {
    String path = text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : "";
    if (path.startsWith("@") || path.startsWith("/@")) {
      throw invalid(text, "is an abstract socket, which the mode of a folder does not protect");
    }
    if (!path.startsWith("/") || path.endsWith("/")) {
      throw invalid(text, "is not of the form unix:///PATH");
    }
    if (path.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      throw invalid(
          text, "is longer than " + MAX_BYTES + " bytes, the limit for the path of a socket");
    }
    try {
      return new SocketPath(Path.of(path).normalize());
    } catch (InvalidPathException e) {
      throw invalid(text, "is not a path");
    }
  }

  Path folder() {
    Path parent = path.getParent();
    return parent == null ? Path.of("/") : parent;
  }

  private static PluginException invalid(String text, String reason) {
    return new PluginException(
        "--listen=" + text + " " + reason, "--listen unix:///run/keyfleet/kms.sock");
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
