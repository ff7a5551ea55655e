package keyfleet.kms.grpc;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import keyfleet.kms.PluginException;

/// The plugin's exclusive use of a socket path: a folder that only its user may enter, and a lock
/// for as long as the plugin lives. It removes the socket of a dead plugin and leaves a live one
/// alone.
final class SocketLock implements AutoCloseable {
  private static final String FOLDER_MODE = "rwx------";
  private static final String SOCKET_MODE = "rw-------";

  private final Path path;
  private final FileChannel lockFile;

  private SocketLock(Path path, FileChannel lockFile) {
    this.path = path;
    this.lockFile = lockFile;
  }

  static long ownUid() {
    return new UnixSystem().getUid();
  }

  /// Throws [PluginException] if another process uses the path or the folder is not safe.
  static SocketLock acquire(SocketPath socket) {
    Path path = socket.path();
    try {
      checkFolder(socket.folder());
      FileChannel lockFile = lock(path);
      try {
        removeStaleSocket(path);
      } catch (IOException | RuntimeException e) {
        lockFile.close();
        throw e;
      }
      return new SocketLock(path, lockFile);
    } catch (IOException e) {
      throw new PluginException(
          "cannot create the socket %s: %s".formatted(path, e),
          "use a folder in which this user may create files",
          e);
    }
  }

  private static void checkFolder(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(FOLDER_MODE)));
    }
    PosixFileAttributes found = Files.readAttributes(folder, PosixFileAttributes.class);
    long owner = Integer.toUnsignedLong((int) Files.getAttribute(folder, "unix:uid"));
    String mode = PosixFilePermissions.toString(found.permissions());
    if (!found.isDirectory() || owner != ownUid() || !mode.equals(FOLDER_MODE)) {
      throw new PluginException(
          "the folder %s must belong to user %d alone: it belongs to user %d and has mode %s"
              .formatted(folder, ownUid(), owner, mode),
          "give the socket its own folder: mkdir -m 0700 /run/keyfleet");
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    Path file = path.resolveSibling(path.getFileName() + ".lock");
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(SOCKET_MODE)));
    if (!tryLock(channel)) {
      channel.close();
      throw inUse(path, "another plugin holds " + file);
    }
    return channel;
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // this process itself has locked it
    }
  }

  private static void removeStaleSocket(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isOther()) {
      throw new PluginException(
          path + " exists and is not a socket", "use another path, or: rm " + path);
    }
    if (isAnswering(path)) {
      throw inUse(path, "another process answers there");
    }
    Files.delete(path);
  }

  private static boolean isAnswering(Path path) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.connect(UnixDomainSocketAddress.of(path));
    } catch (SocketException e) {
      return false; // refused: the process that bound it is gone
    }
  }

  private static PluginException inUse(Path path, String reason) {
    return new PluginException(
        "the socket %s is in use: %s".formatted(path, reason),
        "stop the other plugin, or use another path for --listen");
  }

  /// Call this once the socket is bound.
  void restrictSocketMode() {
    try {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(SOCKET_MODE));
    } catch (IOException e) {
      throw new PluginException(
          "cannot set the mode of the socket %s: %s".formatted(path, e),
          "use a folder on a local filesystem",
          e);
    }
  }

  /// Leaves the lock file: removing it could remove the file of another plugin.
  @Override
  public void close() {
    try (lockFile) {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new PluginException(
          "cannot remove the socket %s: %s".formatted(path, e), "rm " + path, e);
    }
  }
}
