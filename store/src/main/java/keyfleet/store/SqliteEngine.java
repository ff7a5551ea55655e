package keyfleet.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import keyfleet.store.SqliteSchema.Owner;
import keyfleet.store.SqliteSession.Durability;
import org.jspecify.annotations.Nullable;

/// A store in files of this machine, for several processes and no server: `sqlite:PATH`, without
/// parameters. A file that does not exist is made; one that an application keeps holds records, but
/// no buckets.
///
/// | file         | holds                                                              | after a power failure |
/// |--------------|--------------------------------------------------------------------|-----------------------|
/// | `X.db`       | lasting buckets, store time, records; WAL, synced at each commit    | nothing acknowledged is lost |
/// | `X-beats.db` | expiring buckets; WAL, synced at checkpoints                        | the latest beats may be lost, and are sent again |
/// | `X.db.lock`  | nothing: writers queue there, so that none starves                  | –                     |
///
/// | table              | a row is                                                         |
/// |--------------------|------------------------------------------------------------------|
/// | `keyfleet_store`   | the store: its id, and the line of store time                    |
/// | `keyfleet_owner`   | of beats: the id of the store that they belong to                |
/// | `keyfleet_buckets` | a bucket and its lifetime                                        |
/// | `keyfleet_entries` | a key                                                            |
/// | `keyfleet_changes` | one of the latest changes: revisions come from here, and hints   |
/// | `keyfleet_fences`  | a fence, beside the table that its two triggers guard            |
///
/// Refused are a filesystem that other machines may share, a file that was replaced or deleted
/// while in use, one that is no database, is damaged, read-only or of another version of these
/// tables. A full disk, and a writer that does not end within seconds, are errors that pass.
///
/// The fence holds for whoever uses SQL on the file. It does not hold for a program that switches
/// triggers off for its own connection, or drops them.
public final class SqliteEngine implements Engine {
  private final SqliteHome home;
  private final SqliteLockFile lock;
  private final SqliteFile state;
  private final BootClock clock;

  /// Null in an application's file.
  private final @Nullable SqliteKv kv;

  private SqliteEngine(SqliteHome home, SqliteLockFile lock, SqliteFile state, BootClock clock) {
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
    SqliteHome home = SqliteHome.at(url.path());
    SqliteHome.create(home.database());
    SqliteLockFile lock = SqliteLockFile.open(home.lock());
    SqliteFile state = new SqliteFile(home.database(), lock.state(), Durability.FULL);
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
          home.database() + " belongs to an application: it holds records, but no key state",
          "--store sqlite:keyfleet.db --records sqlite:" + home.database());
    }
    return kv;
  }

  SqliteFile state() {
    return state;
  }

  SqliteWatches watches() {
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
  public Survey survey(Survey.Scope scope) {
    return new SqliteSurvey(state, scope).take();
  }

  @Override
  public List<Check> checks() {
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
      SqliteHome home, SqliteLockFile lock, SqliteFile state, BootClock clock) {
    SqliteTime time = SqliteTime.of(state, clock);
    SqlitePair pair = new SqlitePair(state, home.beats(), lock.beats(), time);
    return new SqliteKv(pair, new SqliteWatches(pair, clock));
  }

  private Check journal() {
    return state.read(SqliteSchema::isLoggedAhead)
        ? Check.ok(home.database() + " is in WAL, synced at every commit")
        : Check.warn(
            home.database() + " is not in WAL: who reads it and who writes it wait for each other",
            "PRAGMA journal_mode=WAL, once");
  }

  private Check filesystem() {
    String type = home.filesystem();
    return SqliteFilesystem.of(type) == SqliteFilesystem.LOCAL
        ? Check.ok("%s is on a local disk (%s)".formatted(home.database(), type))
        : Check.warn(
            "nobody knows whether other machines share the filesystem of %s (%s)"
                .formatted(home.database(), type),
            "make sure that they do not");
  }

  private Check mode() {
    try {
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(home.database());
      String shown = PosixFilePermissions.toString(mode);
      return shown.endsWith("------")
          ? Check.ok("only its owner reads and writes " + home.database())
          : Check.warn(
              "others than its owner reach %s (%s)".formatted(home.database(), shown),
              "chmod 600 " + home.database());
    } catch (IOException e) {
      throw new StoreException("the mode of " + home.database() + " cannot be read", e);
    }
  }

  private Check clockCheck() {
    return clock.source() == BootClock.Source.NANO_TIME
        ? Check.warn(
            "this system has no clock that counts suspension",
            "do not suspend a machine with processes of the fleet")
        : Check.ok("store time counts the time in which the machine is suspended");
  }
}
