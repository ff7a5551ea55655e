package keyfleet.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import keyfleet.store.Bucket;
import keyfleet.store.Bytes;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.StoreTime;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;

/// Buckets in the two files of a store. Each write is one transaction that also logs the change.
final class SqliteKv implements Kv, AutoCloseable {
  private static final String GET =
      """
      SELECT key, value, revision, written_at FROM keyfleet_entries
      WHERE bucket = ? AND key = ? AND written_at > ?
      """;
  private static final String LIST =
      """
      SELECT key, value, revision, written_at FROM keyfleet_entries
      WHERE bucket = ? AND key >= ? AND key < ? AND written_at > ? ORDER BY key
      """;

  /// Overwrites an expired entry as if it were deleted.
  private static final String CREATE =
      """
      INSERT INTO keyfleet_entries AS old (bucket, key, value, revision, written_at)
      VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET
        value = excluded.value, revision = excluded.revision, written_at = excluded.written_at
      WHERE old.written_at <= ?
      """;

  private static final String UPDATE =
      """
      UPDATE keyfleet_entries SET value = ?, revision = ?, written_at = ?
      WHERE bucket = ? AND key = ? AND revision = ? AND written_at > ?
      """;
  private static final String DELETE =
      """
      DELETE FROM keyfleet_entries
      WHERE bucket = ? AND key = ? AND revision = ? AND written_at > ?
      """;

  /// Sorts after every key.
  private static final String AFTER_ALL_KEYS = "\u007f";

  /// The revision and time of a write, and the time up to which written entries have expired.
  private record WriteStamp(long revision, long now, long expiryLimit) {}

  @FunctionalInterface
  private interface StampedWrite {
    int run(SqliteSession session, WriteStamp stamp) throws SQLException;
  }

  private final SqliteKvDatabases databases;
  private final SqliteStoreClock storeClock;
  private final SqliteBucketRegistry buckets;
  private final SqliteWatchPoller watchPoller;
  private final SqliteExpirySweep sweep = new SqliteExpirySweep();
  private final AtomicInteger writes = new AtomicInteger();

  SqliteKv(SqliteKvDatabases databases, SqliteWatchPoller watchPoller) {
    this.databases = databases;
    this.storeClock = databases.storeClock();
    this.buckets = new SqliteBucketRegistry(databases.stateDatabase());
    this.watchPoller = watchPoller;
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    if (!buckets.contains(bucket) || !databases.canHaveEntries(bucket)) {
      return Optional.empty();
    }
    long expiryLimit = expiryLimit(bucket);
    Optional<Entry> found =
        databases
            .databaseOf(bucket)
            .read(session ->
                session.row(GET, SqliteKv::entry, bucket.name(), key.value(), expiryLimit));
    return found.map(this::observe);
  }

  @Override
  public List<Entry> list(Bucket bucket, Prefix prefix) {
    List<Entry> found = new ArrayList<>();
    list(bucket, prefix, found::add);
    return found;
  }

  @Override
  public void list(Bucket bucket, Prefix prefix, Consumer<Entry> consumer) {
    if (!buckets.contains(bucket) || !databases.canHaveEntries(bucket)) {
      return;
    }
    long expiryLimit = expiryLimit(bucket);
    String from = prefix.value();
    // A slash is the character after the dot that ends a prefix.
    String to = from.isEmpty() ? AFTER_ALL_KEYS : from.substring(0, from.length() - 1) + "/";
    databases
        .databaseOf(bucket)
        .read(session ->
            session.forEachRow(
                LIST,
                row -> consumer.accept(observe(entry(row))),
                bucket.name(),
                from,
                to,
                expiryLimit));
  }

  private Entry observe(Entry entry) {
    storeClock.observe(entry.writtenAt());
    return entry;
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return write(bucket, key, (session, stamp) -> insert(session, bucket, key, value, stamp));
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return write(
        bucket,
        key,
        (session, stamp) -> {
          WriteStamp always = new WriteStamp(stamp.revision(), stamp.now(), Long.MAX_VALUE);
          return insert(session, bucket, key, value, always);
        });
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return write(
        bucket,
        key,
        (session, stamp) ->
            session.update(
                UPDATE,
                value.bytes(),
                stamp.revision(),
                stamp.now(),
                bucket.name(),
                key.value(),
                expected.number(),
                stamp.expiryLimit()));
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    WriteResult result =
        write(
            bucket,
            key,
            (session, stamp) ->
                session.update(
                    DELETE, bucket.name(), key.value(), expected.number(), stamp.expiryLimit()));
    return switch (result) {
      case Written _ -> new Deleted();
      case Conflict conflict -> conflict;
      case Unknown unknown -> unknown;
    };
  }

  @Override
  public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    // Only to throw if the bucket has another kind.
    buckets.contains(bucket);
    return watchPoller.watch(bucket, prefix, watcher);
  }

  @Override
  public StoreTime storeTime() {
    return storeClock.now();
  }

  SqliteWatchPoller watchPoller() {
    return watchPoller;
  }

  @Override
  public void close() {
    watchPoller.close();
    databases.close();
  }

  private WriteResult write(Bucket bucket, Key key, StampedWrite write) {
    buckets.create(bucket);
    storeClock.ensureSlack();
    WriteResult result =
        databases
            .databaseOf(bucket)
            .write(session -> writeAndLog(session, bucket, key, write))
            .orElseGet(Unknown::new);
    if (!(result instanceof Conflict)) {
      watchPoller.wake();
    }
    return result;
  }

  private WriteResult writeAndLog(SqliteSession session, Bucket bucket, Key key, StampedWrite write)
      throws SQLException {
    WriteStamp stamp = stamp(session, bucket);
    if (write.run(session, stamp) == 0) {
      return new Conflict();
    }
    SqliteChangeLog.append(
        session, new SqliteChangeLog.LoggedChange(bucket.name(), key, stamp.revision()));
    if (writes.getAndIncrement() % SqliteChangeLog.TRIM_PERIOD == 0) {
      SqliteChangeLog.trim(session);
    }
    if (bucket instanceof Bucket.Expiring) {
      sweep.sweepStep(session, bucket, stamp.expiryLimit());
    }
    return new Written(new Revision(stamp.revision()));
  }

  private WriteStamp stamp(SqliteSession session, Bucket bucket) throws SQLException {
    long now = storeClock.nowInTransaction();
    long next = SqliteChangeLog.lastRevision(session) + 1;
    long least =
        bucket instanceof Bucket.Expiring ? now * SqliteKvDatabases.REVISIONS_PER_MILLISECOND : 1;
    return new WriteStamp(Math.max(next, least), now, expiryLimit(bucket, now));
  }

  private static int insert(
      SqliteSession session, Bucket bucket, Key key, Value value, WriteStamp stamp)
      throws SQLException {
    return session.update(
        CREATE,
        bucket.name(),
        key.value(),
        value.bytes(),
        stamp.revision(),
        stamp.now(),
        stamp.expiryLimit());
  }

  private long expiryLimit(Bucket bucket) {
    return bucket instanceof Bucket.Lasting
        ? Long.MIN_VALUE
        : expiryLimit(bucket, storeClock.now().millis());
  }

  /// An entry written at this time or before has expired.
  private static long expiryLimit(Bucket bucket, long now) {
    return bucket instanceof Bucket.Expiring(_, var lifetime)
        ? now - lifetime.plus(Duration.ofNanos(999_999)).toMillis()
        : Long.MIN_VALUE;
  }

  private static Entry entry(ResultSet row) throws SQLException {
    return new Entry(
        new Key(new String(row.getBytes(1), UTF_8)),
        new Value(Bytes.wrap(row.getBytes(2))),
        new Revision(row.getLong(3)),
        new StoreTime(row.getLong(4)));
  }
}
