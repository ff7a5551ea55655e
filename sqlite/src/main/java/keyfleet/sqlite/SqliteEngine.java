package keyfleet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import keyfleet.sqlite.SqliteSchema.Owner;
import keyfleet.sqlite.SqliteSession.Durability;
import keyfleet.store.CollectionShape;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.BootClock;
import org.jspecify.annotations.Nullable;

/// A store in files of this machine, for several processes and no server: `sqlite:PATH`, without
/// parameters. The engine creates a missing file. A file that belongs to an application can have
/// records, but no buckets.
///
/// | file         | contains                                                            | after a power failure |
/// |--------------|--------------------------------------------------------------------|-----------------------|
/// | `X.db`       | lasting buckets, store time, records; WAL, synced at each commit    | nothing acknowledged is lost |
/// | `X-beats.db` | expiring buckets; WAL, synced at checkpoints                        | the latest heartbeats may be lost, and are sent again |
/// | `X.db.lock`  | nothing: writers queue on its locks, so that none starves           | –                     |
///
/// | table              | a row is                                                         |
/// |--------------------|------------------------------------------------------------------|
/// | `keyfleet_store`   | the store: its id, and the state of its clock                    |
/// | `keyfleet_owner`   | in `X-beats.db`: the id of the store that it belongs to          |
/// | `keyfleet_buckets` | a bucket and its lifetime                                        |
/// | `keyfleet_entries` | a key                                                            |
/// | `keyfleet_changes` | one of the latest changes: the source of revisions and hints     |
/// | `keyfleet_fences`  | a fence, in the same file as the table that its two triggers guard |
///
/// The engine refuses a filesystem that other machines may share, a file that was replaced or
/// deleted while in use, and a file that is not a database, is damaged, is read-only or has another
/// version of these tables. A full disk, and a writer that does not finish within seconds, are
/// temporary errors.
///
/// The fence applies to every program that uses SQL on the file. It does not stop a program that
/// disables triggers on its own connection, or drops them.
public final class SqliteEngine implements Engine {
  /// Loads the driver's slow classes and its library, so that the first connection opens fast.
  public static void warmUp() throws SQLException {
    SqliteSession.warmUp();
  }

  private final SqlitePaths paths;

  /// Null if the engine only reads.
  private final @Nullable SqliteLockFile lockFile;

  private final SqliteDatabase stateDatabase;
  private final BootClock clock;

  /// Null if the file belongs to an application.
  private final @Nullable SqliteKv kv;

  private SqliteEngine(
      SqlitePaths paths,
      @Nullable SqliteLockFile lockFile,
      SqliteDatabase stateDatabase,
      BootClock clock) {
    this.paths = paths;
    this.lockFile = lockFile;
    this.stateDatabase = stateDatabase;
    this.clock = clock;
    this.kv =
        SqliteSchema.KEY_STATE.prepare(stateDatabase) == Owner.KEYFLEET
            ? openKv(paths, lockFile, stateDatabase, clock)
            : null;
  }

  public static SqliteEngine open(StoreUrl url) {
    return open(url, BootClock.system());
  }

  static SqliteEngine open(StoreUrl url, BootClock clock) {
    url.rejectUnknownParameters(Set.of());
    SqlitePaths paths = SqlitePaths.resolve(url.path());
    if (url.isForReading()) {
      return openForReading(paths, clock);
    }
    SqlitePaths.createFile(paths.database());
    SqliteLockFile lockFile = SqliteLockFile.open(paths.lock());
    SqliteDatabase stateDatabase =
        new SqliteDatabase(paths.database(), lockFile.stateQueue(), Durability.FULL);
    try {
      return new SqliteEngine(paths, lockFile, stateDatabase, clock);
    } catch (RuntimeException e) {
      stateDatabase.close();
      lockFile.close();
      throw e;
    }
  }

  private static SqliteEngine openForReading(SqlitePaths paths, BootClock clock) {
    if (!Files.exists(paths.database())) {
      throw StoreRefusedException.noStore(paths.database().toString());
    }
    SqliteDatabase stateDatabase = SqliteDatabase.openForReading(paths.database());
    try {
      return new SqliteEngine(paths, null, stateDatabase, clock);
    } catch (RuntimeException e) {
      stateDatabase.close();
      throw e;
    }
  }

  @Override
  public SqliteKv kv() {
    if (kv == null) {
      throw new StoreRefusedException(
          paths.database() + " belongs to an application: it can have records, but no key state",
          "--store sqlite:keyfleet.db --records sqlite:" + paths.database());
    }
    return kv;
  }

  SqliteDatabase stateDatabase() {
    return stateDatabase;
  }

  SqliteWatchPoller watchPoller() {
    return kv().watchPoller();
  }

  @Override
  public Records records(CollectionShape shape) {
    SqliteRecords records = new SqliteRecords(stateDatabase, shape);
    var _ = records.fence(); // refuses a table that does not exist, as the other engines do
    return records;
  }

  @Override
  public void createCollection(CollectionShape shape) {
    SqliteTable.create(stateDatabase, shape);
  }

  @Override
  public EnvelopeScan scanForEnvelopes(EnvelopeScan.Scope scope) {
    return new SqliteEnvelopeScanner(stateDatabase, scope).scan();
  }

  @Override
  public void backUp(Path target) {
    SqliteBackup.write(stateDatabase, target);
  }

  @Override
  public List<StoreCheck> storeChecks() {
    return List.of(checkJournalMode(), checkFilesystem(), checkFileMode(), checkClock());
  }

  @Override
  public void close() {
    if (kv != null) {
      kv.close();
    }
    stateDatabase.close();
    if (lockFile != null) {
      lockFile.close();
    }
  }

  private static SqliteKv openKv(
      SqlitePaths paths,
      @Nullable SqliteLockFile lockFile,
      SqliteDatabase stateDatabase,
      BootClock clock) {
    SqliteStoreClock storeClock = SqliteStoreClock.of(stateDatabase, clock);
    SqliteKvDatabases databases =
        new SqliteKvDatabases(
            stateDatabase,
            paths.heartbeats(),
            lockFile == null ? null : lockFile.heartbeatQueue(),
            storeClock);
    return new SqliteKv(databases, new SqliteWatchPoller(databases, clock));
  }

  private StoreCheck checkJournalMode() {
    return stateDatabase.read(SqliteSchema::isWalMode)
        ? StoreCheck.ok(paths.database() + " is in WAL mode, synced at every commit")
        : StoreCheck.warn(
            paths.database() + " is not in WAL mode: readers and writers wait for each other",
            "PRAGMA journal_mode=WAL, once");
  }

  private StoreCheck checkFilesystem() {
    String type = paths.filesystemType();
    Path file = paths.database();
    return switch (FilesystemKind.of(type)) {
      case LOCAL -> StoreCheck.ok("%s is on a local disk (%s)".formatted(file, type));
      case VOLATILE ->
          StoreCheck.warn(
              "%s is in memory (%s): key state is lost when the machine stops"
                  .formatted(file, type),
              "keyfleet backup /var/lib/keyfleet/keyfleet.db");
      case UNKNOWN, SHARED ->
          StoreCheck.warn(
              "%s is on a filesystem of unknown type (%s), which other machines may share"
                  .formatted(file, type),
              "make sure that no other machine mounts it");
    };
  }

  private StoreCheck checkFileMode() {
    try {
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(paths.database());
      String text = PosixFilePermissions.toString(mode);
      return text.endsWith("------")
          ? StoreCheck.ok("only the owner can access " + paths.database())
          : StoreCheck.warn(
              "%s is accessible to users other than its owner (%s)"
                  .formatted(paths.database(), text),
              "chmod 600 " + paths.database());
    } catch (IOException e) {
      throw new StoreException("the mode of " + paths.database() + " cannot be read", e);
    }
  }

  private StoreCheck checkClock() {
    return clock.isSuspendAware()
        ? StoreCheck.ok("store time counts the time while the machine is suspended")
        : StoreCheck.warn(
            "this system has no clock that counts suspended time",
            "do not suspend a machine that runs processes of the fleet");
  }
}
