package keyfleet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
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
  private final SqlitePaths home;
  private final SqliteLockFile lock;
  private final SqliteDatabase state;
  private final BootClock clock;

  /// Null if the file belongs to an application.
  private final @Nullable SqliteKv kv;

  private SqliteEngine(
      SqlitePaths home, SqliteLockFile lock, SqliteDatabase state, BootClock clock) {
    this.home = home;
    this.lock = lock;
    this.state = state;
    this.clock = clock;
    this.kv =
        SqliteSchema.STATE.settle(state) == Owner.KEYFLEET ? kv(home, lock, state, clock) : null;
  }

  public static SqliteEngine open(StoreUrl url) {
    return open(url, BootClock.system());
  }

  static SqliteEngine open(StoreUrl url, BootClock clock) {
    url.allowOnly(Set.of());
    SqlitePaths home = SqlitePaths.at(url.path());
    SqlitePaths.create(home.database());
    SqliteLockFile lock = SqliteLockFile.open(home.lock());
    SqliteDatabase state = new SqliteDatabase(home.database(), lock.state(), Durability.FULL);
    try {
      return new SqliteEngine(home, lock, state, clock);
    } catch (RuntimeException e) {
      state.close();
      lock.close();
      throw e;
    }
  }

  @Override
  public SqliteKv kv() {
    if (kv == null) {
      throw new StoreRefusedException(
          home.database() + " belongs to an application: it can have records, but no key state",
          "--store sqlite:keyfleet.db --records sqlite:" + home.database());
    }
    return kv;
  }

  SqliteDatabase state() {
    return state;
  }

  SqliteWatchPoller watches() {
    return kv().watches();
  }

  @Override
  public Records records(CollectionShape shape) {
    return new SqliteRecords(state, shape);
  }

  @Override
  public void make(CollectionShape shape) {
    SqliteTable.make(state, shape);
  }

  @Override
  public EnvelopeScan survey(EnvelopeScan.Scope scope) {
    return new SqliteEnvelopeScanner(state, scope).take();
  }

  @Override
  public List<StoreCheck> checks() {
    return List.of(journal(), filesystem(), mode(), clockCheck());
  }

  @Override
  public void close() {
    if (kv != null) {
      kv.close();
    }
    state.close();
    lock.close();
  }

  private static SqliteKv kv(
      SqlitePaths home, SqliteLockFile lock, SqliteDatabase state, BootClock clock) {
    SqliteStoreClock time = SqliteStoreClock.of(state, clock);
    SqliteKvDatabases pair = new SqliteKvDatabases(state, home.beats(), lock.beats(), time);
    return new SqliteKv(pair, new SqliteWatchPoller(pair, clock));
  }

  private StoreCheck journal() {
    return state.read(SqliteSchema::isLoggedAhead)
        ? StoreCheck.ok(home.database() + " is in WAL mode, synced at every commit")
        : StoreCheck.warn(
            home.database() + " is not in WAL mode: readers and writers wait for each other",
            "PRAGMA journal_mode=WAL, once");
  }

  private StoreCheck filesystem() {
    String type = home.filesystem();
    return FilesystemKind.of(type) == FilesystemKind.LOCAL
        ? StoreCheck.ok("%s is on a local disk (%s)".formatted(home.database(), type))
        : StoreCheck.warn(
            "%s is on a filesystem of unknown type (%s), which other machines may share"
                .formatted(home.database(), type),
            "make sure that no other machine mounts it");
  }

  private StoreCheck mode() {
    try {
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(home.database());
      String shown = PosixFilePermissions.toString(mode);
      return shown.endsWith("------")
          ? StoreCheck.ok("only the owner can access " + home.database())
          : StoreCheck.warn(
              "%s is accessible to users other than its owner (%s)"
                  .formatted(home.database(), shown),
              "chmod 600 " + home.database());
    } catch (IOException e) {
      throw new StoreException("the mode of " + home.database() + " cannot be read", e);
    }
  }

  private StoreCheck clockCheck() {
    return clock.source() == BootClock.Source.NANO_TIME
        ? StoreCheck.warn(
            "this system has no clock that counts suspended time",
            "do not suspend a machine that runs processes of the fleet")
        : StoreCheck.ok("store time counts the time while the machine is suspended");
  }
}
