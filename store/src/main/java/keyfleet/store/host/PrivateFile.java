package keyfleet.store.host;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import keyfleet.store.StoreRefusedException;

/// A file with a secret that a store URL names. Only its owner may read it, and the owner must be
/// this user or root.
///
/// @param parameter the URL parameter that names the file
public record PrivateFile(String parameter, Path path) {
  private static final int MAX_BYTES = 64 << 10;
  private static final int ROOT = 0;
  private static final Set<String> OWNER_ONLY = Set.of("r--------", "rw-------");
  private static final Set<String> GROUP_READABLE = Set.of("r--r-----", "rw-r-----");

  public PrivateFile(String parameter, String file) {
    this(parameter, Path.of(file));
  }

  /// The text without a trailing line feed, which editors add.
  public String readText() {
    String text = new String(readBytes(), UTF_8);
    return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }

  /// The path, after the access check, for a driver that reads the file again at each connection.
  public String checkedPath() {
    Arrays.fill(readBytes(), (byte) 0);
    return path.toString();
  }

  public byte[] readBytes() {
    try {
      checkAccess();
      return Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      throw StoreRefusedException.noAccess(
          this + " does not exist", "create it, or name another file");
    } catch (IOException e) {
      throw StoreRefusedException.noAccess(
          this
              + " cannot be read: "
              + (e instanceof AccessDeniedException ? "permission denied" : "the disk failed"),
          "run as the file's owner, or: chown $(id -u) " + path);
    }
  }

  private void checkAccess() throws IOException {
    int owner = (int) Files.getAttribute(path, "unix:uid");
    int user = (int) new UnixSystem().getUid();
    String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    // systemd and Kubernetes provide secrets to non-root services in this way.
    boolean isProvidedByRoot = owner == ROOT && user != ROOT && GROUP_READABLE.contains(mode);
    boolean isOwnerOnly = (owner == user || owner == ROOT) && OWNER_ONLY.contains(mode);
    if (!isProvidedByRoot && !isOwnerOnly) {
      throw StoreRefusedException.noAccess(
          "%s has mode %s and belongs to user %d; only user %d may read it (0600)"
              .formatted(this, mode, owner, user),
          "chown %d %s && chmod 0600 %s".formatted(user, path, path));
    }
    if (!Files.isRegularFile(path) || Files.size(path) > MAX_BYTES) {
      throw StoreRefusedException.noAccess(
          this + " is not a regular file of at most " + MAX_BYTES + " bytes",
          "check that this is the right file");
    }
  }

  @Override
  public String toString() {
    return parameter + " " + path;
  }
}
