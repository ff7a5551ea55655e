package keyfleet.sqlite;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;

/// The paths of a store's files: `X.db`, `X-beats.db` and `X.db.lock`.
record SqlitePaths(Path database) {
  static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final String SUFFIX = ".db";

  /// The folder must exist, on a local disk. All names of one file resolve to the same paths, so
  /// that its writers use the same lock file.
  static SqlitePaths resolve(String path) {
    Path named = Path.of(path).toAbsolutePath().normalize();
    Path folder = named.getParent();
    if (folder == null || Files.isDirectory(named)) {
      throw StoreRefusedException.noAccess(
          named + " is a folder", "sqlite:" + path + "/keyfleet.db");
    }
    if (!Files.isDirectory(folder)) {
      throw StoreRefusedException.noAccess("there is no folder " + folder, "mkdir -p " + folder);
    }
    SqlitePaths paths = new SqlitePaths(realPath(named, folder));
    paths.checkFilesystem();
    return paths;
  }

  Path heartbeats() {
    String name = String.valueOf(database.getFileName());
    String stem = name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    return database.resolveSibling(stem + "-beats" + SUFFIX);
  }

  Path lock() {
    return database.resolveSibling(database.getFileName() + ".lock");
  }

  /// Creates the file with owner-only access, because SQLite would let others read it. No other
  /// process has a new file open, so closing it here releases no locks.
  static void createFile(Path file) {
    try {
      Files.createFile(file, OWNER_ONLY);
    } catch (FileAlreadyExistsException e) {
      return;
    } catch (IOException e) {
      throw StoreRefusedException.noAccess(
          file + " cannot be created: " + describe(e),
          e instanceof AccessDeniedException
              ? "chmod u+w " + file.getParent()
              : "name a file on a disk that has room and can be written",
          e);
    }
  }

  static String describe(IOException e) {
    return switch (e) {
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException it when it.getReason() != null -> it.getReason();
      default -> "the disk failed to answer";
    };
  }

  String filesystemType() {
    try {
      return Files.getFileStore(folder()).type();
    } catch (IOException e) {
      throw new StoreException("the filesystem of " + database + " cannot be determined", e);
    }
  }

  private Path folder() {
    Path folder = database.getParent();
    return folder == null ? database : folder;
  }

  private void checkFilesystem() {
    String type = filesystemType();
    if (FilesystemKind.of(type) == FilesystemKind.SHARED) {
      throw new StoreRefusedException(
          "%s is on a filesystem that other machines may share (%s)".formatted(database, type),
          "a file on a local disk, or postgresql://HOST/DATABASE");
    }
  }

  private static Path realPath(Path named, Path folder) {
    try {
      return Files.exists(named)
          ? named.toRealPath()
          : folder.toRealPath().resolve(named.getFileName());
    } catch (IOException e) {
      throw new StoreException("the folder " + folder + " cannot be read", e);
    }
  }
}
