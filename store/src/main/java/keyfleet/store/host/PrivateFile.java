package keyfleet.store.host;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
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
/// @param param the URL parameter that names the file
public record PrivateFile(String param, Path path) {
  private static final int MAX_BYTES = 64 << 10;
  private static final int ROOT = 0;
  private static final Set<String> OWNER_ONLY = Set.of("r--------", "rw-------");
  private static final Set<String> HANDED_BY_ROOT = Set.of("r--r-----", "rw-r-----");

  public PrivateFile(String param, String file) {
    this(param, Path.of(file));
  }

  /// The text without a trailing line feed, which editors add.
  public String text() {
    String text = new String(bytes(), UTF_8);
    return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }

  /// The path, after the access check, for a driver that reads the file again at each connection.
  public String checked() {
    Arrays.fill(bytes(), (byte) 0);
    return path.toString();
  }

  public byte[] bytes() {
    try {
      checkAccess();
      return Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      throw StoreRefusedException.noEntry(
          this + " does not exist", "create it, or name another file");
    } catch (IOException e) {
      throw StoreRefusedException.noEntry(
          this + " cannot be read: " + e.getClass().getSimpleName(),
          "run as the file's owner, or: chown $(id -u) " + path);
    }
  }

  private void checkAccess() throws IOException {
    int owner = (int) Files.getAttribute(path, "unix:uid");
    int self = (int) new UnixSystem().getUid();
    String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    // systemd and Kubernetes provide secrets to non-root services in this way.
    boolean handed = owner == ROOT && self != ROOT && HANDED_BY_ROOT.contains(mode);
    boolean ownersOnly = (owner == self || owner == ROOT) && OWNER_ONLY.contains(mode);
    if (!handed && !ownersOnly) {
      throw StoreRefusedException.noEntry(
          "%s has mode %s and belongs to user %d; only user %d may read it (0600)"
              .formatted(this, mode, owner, self),
          "chown %d %s && chmod 0600 %s".formatted(self, path, path));
    }
    if (!Files.isRegularFile(path) || Files.size(path) > MAX_BYTES) {
      throw StoreRefusedException.noEntry(
          this + " is not a regular file of at most " + MAX_BYTES + " bytes",
          "check that this is the right file");
    }
  }

  @Override
  public String toString() {
    return param + " " + path;
  }
}
