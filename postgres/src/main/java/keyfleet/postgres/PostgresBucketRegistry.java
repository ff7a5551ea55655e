package keyfleet.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.store.Bucket;
import keyfleet.store.StoreException;

/// Which buckets there are and how long their entries live; made on first use.
final class PostgresBucketRegistry {
  /// Of a lasting entry, in milliseconds: longer than any clock runs, and far from overflow.
  static final long ENDLESS = 1L << 60;

  private final PostgresPool pool;
  private final KvSql sql;
  private final Map<String, Long> known = new ConcurrentHashMap<>();

  PostgresBucketRegistry(PostgresPool pool, KvSql sql) {
    this.pool = pool;
    this.sql = sql;
  }

  /// Of an entry, in milliseconds.
  long lifetime(Bucket bucket) {
    long wanted =
        switch (bucket) {
          case Bucket.Lasting _ -> ENDLESS;
          case Bucket.Expiring(_, var lifetime) -> lifetime.toMillis();
        };
    Long seen = known.get(bucket.name());
    long held = seen == null ? opened(bucket.name(), wanted) : seen;
    if (held != wanted) {
      throw new IllegalArgumentException(
          "entries of bucket %s live for %s, not for %s"
              .formatted(bucket.name(), shown(held), shown(wanted)));
    }
    return held;
  }

  /// Whoever comes first decides. Not knowing whether that was us, we read what is there.
  private long opened(String name, long wanted) {
    String what = "open bucket " + name;
    long held = held(what, name);
    if (held == 0) {
      makeSure(what, name, wanted);
      held = held(what, name);
    }
    if (held == 0) {
      throw new StoreException("cannot " + what + ": it was not made");
    }
    known.put(name, held);
    return held;
  }

  private void makeSure(String what, String name, long lifetime) {
    pool.write(
        what,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.makeBucket())) {
            statement.setString(1, name);
            statement.setLong(2, lifetime);
            return statement.executeUpdate();
          }
        },
        0);
  }

  /// 0 if there is none.
  private long held(String what, String name) {
    return pool.read(
        what,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.lifetime())) {
            statement.setString(1, name);
            try (ResultSet found = statement.executeQuery()) {
              return found.next() ? found.getLong(1) : 0L;
            }
          }
        });
  }

  private static String shown(long lifetime) {
    return lifetime == ENDLESS ? "ever" : Duration.ofMillis(lifetime).toString();
  }
}
