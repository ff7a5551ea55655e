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

/// A plugin's right to a path: a folder that only its user enters, and a lock for as long as the
/// plugin lives. A socket that a dead plugin left is removed; a live one is left alone.
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

  /// Throws [PluginException] if the path is somebody else's, or not safe.
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
          "the socket %s cannot be made: %s".formatted(path, e),
          "a folder that this user may make files in",
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
          "%s is not a folder of user %d alone: it belongs to user %d and has mode %s"
              .formatted(folder, ownUid(), owner, mode),
          "a folder of its own for the socket: mkdir -m 0700 /run/keyfleet");
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
      return false; // by this very process
    }
  }

  private static void removeStaleSocket(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isOther()) {
      throw new PluginException(
          path + " is there, and is not a socket", "another path, or: rm " + path);
    }
    if (isAnswering(path)) {
      throw inUse(path, "somebody answers there");
    }
    Files.delete(path);
  }

  private static boolean isAnswering(Path path) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.connect(UnixDomainSocketAddress.of(path));
    } catch (SocketException e) {
      return false; // refused: whoever bound it is gone
    }
  }

  private static PluginException inUse(Path path, String why) {
    return new PluginException(
        "the socket %s is in use: %s".formatted(path, why),
        "stop the other plugin, or --listen at another path");
  }

  /// Once it is bound.
  void restrictSocketMode() {
    try {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(SOCKET_MODE));
    } catch (IOException e) {
      throw new PluginException(
          "the mode of the socket %s cannot be set: %s".formatted(path, e),
          "a folder on a local filesystem",
          e);
    }
  }

  /// The lock's file stays: who removed it might remove another's.
  @Override
  public void close() {
    try (lockFile) {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new PluginException(
          "the socket %s cannot be removed: %s".formatted(path, e), "rm " + path, e);
    }
  }
}
