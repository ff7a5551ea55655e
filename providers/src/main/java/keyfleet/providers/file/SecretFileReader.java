package keyfleet.providers.file;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import keyfleet.providers.FileErrorText;
import keyfleet.providers.ProviderException;

/// Reads a small file that holds a secret, if only its owner can read it.
///
/// The rule: a regular file of this process's user or of root, mode 0400 or 0600. The group may
/// read (0440, 0640) only if root owns the file and the process is not root: in this way systemd's
/// `LoadCredential` (an access list, shown as the group's bits) and Kubernetes' `fsGroup` give a
/// secret to a service. Links are followed, because Kubernetes mounts secrets through two of them.
public final class SecretFileReader {
  public static final int MAX_BYTES = 4096;

  private static final int ROOT = 0;
  private static final Set<String> OWNER_ONLY = Set.of("r--------", "rw-------");
  private static final Set<String> GROUP_READABLE = Set.of("r--r-----", "rw-r-----");

  private SecretFileReader() {}

  /// The file's bytes without a line feed at the end, which editors and `echo` add. The caller
  /// wipes them.
  public static byte[] read(Path file) {
    return read(file, (int) new UnixSystem().getUid());
  }

  static byte[] read(Path file, int uid) {
    try {
      PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
      checkShape(file, attributes);
      checkAccess(file, attributes, (int) Files.getAttribute(file, "unix:uid"), uid);
      try (InputStream in = Files.newInputStream(file)) {
        return stripLineFeed(in.readNBytes(MAX_BYTES));
      }
    } catch (NoSuchFileException e) {
      throw new ProviderException(file + " does not exist", "create it, or name another file", e);
    } catch (IOException e) {
      throw new ProviderException(
          file + " cannot be read: " + FileErrorText.of(e),
          "run as the file's owner, or: chown $(id -u) " + file,
          e);
    }
  }

  private static void checkShape(Path file, PosixFileAttributes attributes) {
    if (!attributes.isRegularFile()) {
      throw new ProviderException(
          file + " is not a regular file", "name a file that holds the secret");
    }
    if (attributes.size() > MAX_BYTES) {
      throw new ProviderException(
          file + " has " + attributes.size() + " bytes; a secret has at most " + MAX_BYTES,
          "check that this is the right file");
    }
  }

  private static void checkAccess(Path file, PosixFileAttributes attributes, int owner, int uid) {
    if (owner != uid && owner != ROOT) {
      throw new ProviderException(
          file + " belongs to user " + owner + "; it must belong to user " + uid + " or to root",
          "chown " + uid + " " + file);
    }
    String mode = PosixFilePermissions.toString(attributes.permissions());
    boolean providedByRoot = owner == ROOT && uid != ROOT && GROUP_READABLE.contains(mode);
    if (!OWNER_ONLY.contains(mode) && !providedByRoot) {
      throw new ProviderException(
          file + " has mode " + mode + "; only its owner may read it (0400 or 0600)",
          "chmod 0400 " + file);
    }
  }

  public static byte[] stripLineFeed(byte[] text) {
    if (text.length == 0 || text[text.length - 1] != '\n') {
      return text;
    }
    byte[] secret = Arrays.copyOf(text, text.length - 1);
    Arrays.fill(text, (byte) 0);
    return secret;
  }
}
