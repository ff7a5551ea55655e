package keyfleet.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
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
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.LatestStoreTime;
import org.jspecify.annotations.Nullable;

/// Keys and values as rows of one table; [KvSql] explains how revisions stay in order.
final class PostgresKv implements Kv {
  /// The arguments of a write. A create expects no revision, a deletion has no value.
  private record WriteRequest(
      Bucket bucket, Key key, @Nullable Value value, @Nullable Revision expected) {}

  /// Sorts after every key: keys are ASCII.
  private static final String AFTER_EVERY_KEY = "\u007f";

  private final PostgresPool pool;
  private final KvSql sql;
  private final PostgresBucketRegistry buckets;
  private final PostgresWatchRegistry watches;
  private final LatestStoreTime latestTime;
  private final Map<String, StoreTime> lastSweeps = new ConcurrentHashMap<>();

  PostgresKv(PostgresPool pool, KvSql sql, PostgresWatchRegistry watches) {
    this.pool = pool;
    this.sql = sql;
    this.watches = watches;
    this.buckets = new PostgresBucketRegistry(pool, sql);
    this.latestTime = new LatestStoreTime();
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    long lifetime = buckets.lifetimeOf(bucket);
    return pool.read(
        "read " + bucket.label() + " " + key,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.get())) {
            statement.setString(1, bucket.name());
            statement.setString(2, key.value());
            statement.setLong(3, latestTime.millis());
            statement.setLong(4, lifetime);
            List<Entry> found = readEntries(statement);
            return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
          }
        });
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return write(sql.create(), new WriteRequest(bucket, key, value, null));
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return write(sql.update(), new WriteRequest(bucket, key, value, expected));
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return write(sql.put(), new WriteRequest(bucket, key, value, null));
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    WriteRequest request = new WriteRequest(bucket, key, null, expected);
    return switch (write(sql.delete(), request)) {
      case Written _ -> new Deleted();
      case Conflict it -> it;
      case Unknown it -> it;
    };
  }

  @Override
  public List<Entry> list(Bucket bucket, Prefix prefix) {
    long lifetime = buckets.lifetimeOf(bucket);
    return pool.read(
        "list " + bucket.label() + " " + prefix.value(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.list())) {
            statement.setString(1, bucket.name());
            statement.setString(2, prefix.value());
            statement.setString(3, endOf(prefix));
            statement.setLong(4, latestTime.millis());
            statement.setLong(5, lifetime);
            return readEntries(statement);
          }
        });
  }

  @Override
  public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    buckets.ensureRegistered(bucket);
    return watches.add(bucket, prefix, watcher);
  }

  @Override
  public StoreTime storeTime() {
    return pool.read(
        "read the time",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(KvSql.NOW)) {
            statement.setLong(1, latestTime.millis());
            try (ResultSet found = statement.executeQuery()) {
              found.next();
              return latestTime.observe(found.getLong(1));
            }
          }
        });
  }

  private WriteResult write(String statement, WriteRequest request) {
    long lifetime = buckets.ensureRegistered(request.bucket);
    WriteResult result =
        pool.write(
            "write " + request.bucket.label() + " " + request.key,
            connection -> send(connection, statement, request, lifetime),
            new Unknown());
    if (!(result instanceof Conflict)) {
      watches.hintChange(request.bucket, request.key);
      sweepIfDue(request.bucket, lifetime);
    }
    return result;
  }

  private WriteResult send(Connection connection, String query, WriteRequest request, long lifetime)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, request.bucket.name());
      statement.setString(2, request.key.value());
      statement.setBytes(3, request.value == null ? null : request.value.bytes().toArray());
      statement.setBoolean(4, request.value != null && isDocument(request.value));
      if (request.expected == null) {
        statement.setNull(5, Types.BIGINT);
      } else {
        statement.setLong(5, request.expected.number());
      }
      statement.setLong(6, lifetime);
      statement.setLong(7, latestTime.millis());
      try (ResultSet found = statement.executeQuery()) {
        if (!found.next()) {
          return new Conflict();
        }
        latestTime.observe(found.getLong(2));
        return new Written(new Revision(found.getLong(1)));
      }
    }
  }

  private List<Entry> readEntries(PreparedStatement statement) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    try (ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        long writtenAt = found.getLong(4);
        latestTime.observe(writtenAt);
        entries.add(
            new Entry(
                new Key(found.getString(1)),
                readValue(found),
                new Revision(found.getLong(3)),
                new StoreTime(writtenAt)));
      }
    }
    return entries;
  }

  /// The server refuses a JSON text with a NUL in it where someone searches for that text.
  private static boolean isDocument(Value value) {
    return value.exactDocument().isPresent() && !value.text().contains("\\u0000");
  }

  private static Value readValue(ResultSet found) throws SQLException {
    byte[] value = found.getBytes(2);
    return new Value(Bytes.wrap(value == null ? found.getBytes(5) : value));
  }

  /// Sweeps once per lifetime. Readers never see expired entries, also when a sweep fails or leaves
  /// some.
  private void sweepIfDue(Bucket bucket, long lifetime) {
    StoreTime now = new StoreTime(latestTime.millis());
    StoreTime last = lastSweeps.putIfAbsent(bucket.name(), now);
    boolean isDue = last != null && now.millis() - last.millis() >= lifetime;
    if (isDue && lastSweeps.replace(bucket.name(), last, now)) {
      try {
        pool.write(
            "sweep " + bucket.label(), connection -> runSweep(connection, bucket, lifetime), 0);
      } catch (StoreException e) {
        lastSweeps.replace(bucket.name(), now, last); // the next write sweeps
      }
    }
  }

  private int runSweep(Connection connection, Bucket bucket, long lifetime) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.sweep())) {
      statement.setString(1, bucket.name());
      statement.setLong(2, lifetime);
      statement.setLong(3, latestTime.millis());
      return statement.executeUpdate();
    }
  }

  /// The character after a dot, in place of the dot at the end of the prefix.
  private static String endOf(Prefix prefix) {
    String start = prefix.value();
    return start.isEmpty()
        ? AFTER_EVERY_KEY
        : start.substring(0, start.length() - 1) + (char) ('.' + 1);
  }
}
