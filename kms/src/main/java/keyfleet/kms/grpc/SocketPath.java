package keyfleet.kms.grpc;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import keyfleet.kms.PluginException;

/// Where a plugin listens: `unix:///PATH`.
public record SocketPath(Path path) {
  private static final String SCHEME = "unix://";

  /// What the kernel's address holds, with its end.
  private static final int MAX_BYTES = 107;

  /// Throws [PluginException] for anything else.
  public static SocketPath parse(String text) {
    String path = text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : "";
    if (path.startsWith("@") || path.startsWith("/@")) {
      throw invalid(text, "is an abstract socket, which no folder's mode protects");
    }
    if (!path.startsWith("/") || path.endsWith("/")) {
      throw invalid(text, "is not of the form unix:///PATH");
    }
    if (path.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      throw invalid(
          text, "is longer than the " + MAX_BYTES + " bytes that a socket's path has at most");
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

  private static PluginException invalid(String text, String why) {
    return new PluginException(
        "--listen=" + text + " " + why, "--listen unix:///run/keyfleet/kms.sock");
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
