package keyfleet.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import keyfleet.store.StoreRefusedException;

/// Reads a password from a file, if only its owner can, and its owner is this user or root.
final class PasswordFile {
  private static final int MAX_BYTES = 4096;
  private static final int ROOT = 0;
  private static final Set<String> OWNER_ONLY = Set.of("r--------", "rw-------");
  private static final Set<String> HANDED_BY_ROOT = Set.of("r--r-----", "rw-r-----");

  private PasswordFile() {}

  /// Without a line feed at its end, which editors add.
  static String read(Path file) {
    try {
      checkAccess(file);
      String text = Files.readString(file, UTF_8);
      return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    } catch (NoSuchFileException e) {
      throw StoreRefusedException.noEntry(
          "password-file " + file + " does not exist", "create it, or name another file");
    } catch (IOException e) {
      throw StoreRefusedException.noEntry(
          "password-file " + file + " cannot be read: " + e.getClass().getSimpleName(),
          "run as the file's owner, or: chown $(id -u) " + file);
    }
  }

  private static void checkAccess(Path file) throws IOException {
    int owner = (int) Files.getAttribute(file, "unix:uid");
    int self = (int) new UnixSystem().getUid();
    String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    // How systemd and Kubernetes hand a secret to a service that is not root.
    boolean handed = owner == ROOT && self != ROOT && HANDED_BY_ROOT.contains(mode);
    boolean ownersOnly = (owner == self || owner == ROOT) && OWNER_ONLY.contains(mode);
    if (!handed && !ownersOnly) {
      throw StoreRefusedException.noEntry(
          "password-file %s has mode %s and belongs to user %d; only user %d may read it (0600)"
              .formatted(file, mode, owner, self),
          "chown %d %s && chmod 0600 %s".formatted(self, file, file));
    }
    if (!Files.isRegularFile(file) || Files.size(file) > MAX_BYTES) {
      throw StoreRefusedException.noEntry(
          "password-file " + file + " is no file of at most " + MAX_BYTES + " bytes",
          "check that this is the right file");
    }
  }
}
