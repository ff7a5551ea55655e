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
import org.jspecify.annotations.Nullable;

/// Keys and values as rows of one table; [KvSql] says how they stay in order.
final class PostgresKv implements Kv {
  /// What a write is about. A create has no revision to expect, a deletion no value.
  private record WriteRequest(
      Bucket bucket, Key key, @Nullable Value value, @Nullable Revision expected) {}

  /// After every key: keys are ASCII.
  private static final String LAST = "\u007f";

  private final PostgresPool pool;
  private final KvSql sql;
  private final PostgresBucketRegistry buckets;
  private final PostgresWatchRegistry watches;
  private final LatestStoreTime seen;
  private final Map<String, StoreTime> swept = new ConcurrentHashMap<>();

  PostgresKv(PostgresPool pool, KvSql sql, PostgresWatchRegistry watches) {
    this.pool = pool;
    this.sql = sql;
    this.watches = watches;
    this.buckets = new PostgresBucketRegistry(pool, sql);
    this.seen = new LatestStoreTime();
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    long lifetime = buckets.lifetime(bucket);
    return pool.read(
        "read " + bucket.name() + " " + key,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.get())) {
            statement.setString(1, bucket.name());
            statement.setString(2, key.value());
            statement.setLong(3, seen.millis());
            statement.setLong(4, lifetime);
            List<Entry> found = entries(statement);
            return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
          }
        });
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return written(sql.create(), new WriteRequest(bucket, key, value, null));
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return written(sql.update(), new WriteRequest(bucket, key, value, expected));
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return written(sql.put(), new WriteRequest(bucket, key, value, null));
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    WriteRequest call = new WriteRequest(bucket, key, null, expected);
    return switch (written(sql.delete(), call)) {
      case Written _ -> new Deleted();
      case Conflict it -> it;
      case Unknown it -> it;
    };
  }

  @Override
  public List<Entry> list(Bucket bucket, Prefix prefix) {
    long lifetime = buckets.lifetime(bucket);
    return pool.read(
        "list " + bucket.name() + " " + prefix.value(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.list())) {
            statement.setString(1, bucket.name());
            statement.setString(2, prefix.value());
            statement.setString(3, end(prefix));
            statement.setLong(4, seen.millis());
            statement.setLong(5, lifetime);
            return entries(statement);
          }
        });
  }

  @Override
  public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    buckets.lifetime(bucket);
    return watches.add(bucket, prefix, watcher);
  }

  @Override
  public StoreTime storeTime() {
    return pool.read(
        "read the time",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(KvSql.NOW)) {
            statement.setLong(1, seen.millis());
            try (ResultSet found = statement.executeQuery()) {
              found.next();
              return seen.atLeast(found.getLong(1));
            }
          }
        });
  }

  private WriteResult written(String statement, WriteRequest call) {
    long lifetime = buckets.lifetime(call.bucket);
    WriteResult writeResult =
        pool.write(
            "write " + call.bucket.name() + " " + call.key,
            connection -> send(connection, statement, call, lifetime),
            new Unknown());
    if (!(writeResult instanceof Conflict)) {
      watches.changed(call.bucket, call.key);
      sweep(call.bucket, lifetime);
    }
    return writeResult;
  }

  private WriteResult send(Connection connection, String sent, WriteRequest call, long lifetime)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sent)) {
      statement.setString(1, call.bucket.name());
      statement.setString(2, call.key.value());
      statement.setBytes(3, call.value == null ? null : call.value.bytes().toArray());
      if (call.expected == null) {
        statement.setNull(4, Types.BIGINT);
      } else {
        statement.setLong(4, call.expected.number());
      }
      statement.setLong(5, lifetime);
      statement.setLong(6, seen.millis());
      try (ResultSet found = statement.executeQuery()) {
        if (!found.next()) {
          return new Conflict();
        }
        seen.saw(found.getLong(2));
        return new Written(new Revision(found.getLong(1)));
      }
    }
  }

  private List<Entry> entries(PreparedStatement statement) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    try (ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        entries.add(
            new Entry(
                new Key(found.getString(1)),
                new Value(Bytes.copyOf(found.getBytes(2))),
                new Revision(found.getLong(3)),
                seen.saw(found.getLong(4))));
      }
    }
    return entries;
  }

  /// Once in a lifetime. What a sweep leaves or fails at is gone for readers all the same.
  private void sweep(Bucket bucket, long lifetime) {
    StoreTime now = new StoreTime(seen.millis());
    StoreTime last = swept.putIfAbsent(bucket.name(), now);
    boolean due = last != null && now.millis() - last.millis() >= lifetime;
    if (due && swept.replace(bucket.name(), last, now)) {
      try {
        pool.write("sweep " + bucket.name(), connection -> swept(connection, bucket, lifetime), 0);
      } catch (StoreException e) {
        swept.replace(bucket.name(), now, last); // the next write tries again
      }
    }
  }

  private int swept(Connection connection, Bucket bucket, long lifetime) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.sweep())) {
      statement.setString(1, bucket.name());
      statement.setLong(2, lifetime);
      statement.setLong(3, seen.millis());
      return statement.executeUpdate();
    }
  }

  /// The character after a dot, in place of the dot at the end of the prefix.
  private static String end(Prefix prefix) {
    String start = prefix.value();
    return start.isEmpty() ? LAST : start.substring(0, start.length() - 1) + (char) ('.' + 1);
  }
}
