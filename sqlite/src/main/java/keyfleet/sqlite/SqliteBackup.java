package keyfleet.sqlite;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;

/// Copies a database to a new file with `VACUUM INTO`: one read transaction, so the copy is the
/// database at one moment, and in WAL mode it waits for no writer and no writer waits for it.
/// SQLite's other way, the backup API, begins again whenever another process writes.
///
/// The copy gets its name only when it is complete, checked and synced. A backup that is killed
/// leaves a file that ends in `.incomplete`.
final class SqliteBackup {
  private static final String INCOMPLETE = ".incomplete";

  private SqliteBackup() {}

  static void write(SqliteDatabase database, Path target) {
    Path named = target.toAbsolutePath().normalize();
    Path folder = named.getParent();
    if (folder == null || Files.isDirectory(named)) {
      throw StoreRefusedException.noAccess(
          named + " is a folder", "keyfleet backup " + named.resolve("keyfleet.db"));
    }
    if (Files.exists(named)) {
      throw alreadyExists(named);
    }
    Path incomplete = createIncomplete(named, folder);
    try {
      copy(database, incomplete);
      check(incomplete);
      sync(incomplete);
      rename(incomplete, named);
      sync(folder);
    } catch (IOException e) {
      throw new StoreException("the disk failed to write " + named, e);
    } finally {
      delete(incomplete);
    }
  }

  private static StoreRefusedException alreadyExists(Path file) {
    return StoreRefusedException.noAccess(
        file + " exists, and a backup never replaces a file",
        "keyfleet backup " + findFreeName(file));
  }

  private static Path findFreeName(Path file) {
    int number = 2;
    while (Files.exists(numbered(file, number))) {
      number++;
    }
    return numbered(file, number);
  }

  private static Path numbered(Path file, int number) {
    return file.resolveSibling(file.getFileName() + "." + number);
  }

  private static Path createIncomplete(Path named, Path folder) {
    try {
      return Files.createTempFile(
          folder, named.getFileName() + ".", INCOMPLETE, SqlitePaths.OWNER_ONLY);
    } catch (NoSuchFileException e) {
      throw StoreRefusedException.noAccess("there is no folder " + folder, "mkdir -p " + folder, e);
    } catch (IOException e) {
      throw StoreRefusedException.noAccess(
          named + " cannot be created: " + SqlitePaths.describe(e),
          "name a file on a disk that has room and can be written",
          e);
    }
  }

  private static void copy(SqliteDatabase database, Path incomplete) {
    var _ =
        database.readOnNewConnection(session -> {
          try {
            return session.update("VACUUM INTO ?", incomplete.toString());
          } catch (SQLException e) {
            if (SqliteErrors.isAboutWriting(e)) {
              throw SqliteErrors.toStoreException(incomplete, e);
            }
            throw e;
          }
        });
  }

  /// Reads the copy back: every page, every index and every row.
  private static void check(Path incomplete) {
    try (SqliteSession session = SqliteSession.openForReading(incomplete)) {
      String verdict =
          session.row("PRAGMA integrity_check(1)", row -> row.getString(1)).orElse("no answer");
      if (!verdict.equals("ok")) {
        throw new StoreException("the copy is damaged, so it was deleted");
      }
    } catch (SQLException e) {
      throw SqliteErrors.toStoreException(incomplete, e);
    }
  }

  private static void sync(Path file) throws IOException {
    try (FileChannel channel =
        Files.isDirectory(file) ? FileChannel.open(file, READ) : FileChannel.open(file, WRITE)) {
      channel.force(true);
    }
  }

  /// A link never replaces a file that was created meanwhile, as a rename would.
  private static void rename(Path incomplete, Path named) throws IOException {
    try {
      Files.createLink(named, incomplete);
    } catch (FileAlreadyExistsException e) {
      throw alreadyExists(named);
    } catch (IOException | UnsupportedOperationException e) {
      Files.move(incomplete, named); // a filesystem without links
    }
  }

  private static void delete(Path incomplete) {
    try {
      Files.deleteIfExists(incomplete);
    } catch (IOException e) {
      // The copy has its name; a second name of it does no harm.
    }
  }
}
