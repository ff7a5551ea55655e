package keyfleet.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.store.Bucket;
import keyfleet.store.StoreException;

/// The registered buckets and the lifetimes of their entries. First use registers a bucket.
final class PostgresBucketRegistry {
  /// The lifetime of a lasting entry in milliseconds: longer than any clock runs, and far from
  /// overflow.
  static final long NEVER_EXPIRES = 1L << 60;

  private final PostgresPool pool;
  private final KvSql sql;
  private final Map<String, Long> lifetimes = new ConcurrentHashMap<>();

  PostgresBucketRegistry(PostgresPool pool, KvSql sql) {
    this.pool = pool;
    this.sql = sql;
  }

  /// Registers the bucket on its first use. Returns the lifetime of its entries, in milliseconds.
  long ensureRegistered(Bucket bucket) {
    long wanted = toMillis(bucket);
    Long cached = lifetimes.get(bucket.name());
    return requireSame(bucket, cached == null ? register(bucket, wanted) : cached);
  }

  /// The same for a reader, which registers nothing: an unregistered bucket has no entries.
  long lifetimeOf(Bucket bucket) {
    Long cached = lifetimes.get(bucket.name());
    long registered =
        cached == null ? readLifetime("open " + bucket.label(), bucket.name()) : cached;
    if (registered == 0) {
      return toMillis(bucket);
    }
    lifetimes.put(bucket.name(), registered);
    return requireSame(bucket, registered);
  }

  private static long toMillis(Bucket bucket) {
    return switch (bucket) {
      case Bucket.Lasting _ -> NEVER_EXPIRES;
      case Bucket.Expiring(_, var lifetime) -> lifetime.toMillis();
    };
  }

  private static long requireSame(Bucket bucket, long registered) {
    long wanted = toMillis(bucket);
    if (registered != wanted) {
      throw new IllegalArgumentException(
          "bucket %s has entries that live for %s, not for %s"
              .formatted(bucket.name(), describe(registered), describe(wanted)));
    }
    return registered;
  }

  /// The first client sets the lifetime. Another client may be first, so this one reads the stored
  /// lifetime afterwards.
  private long register(Bucket bucket, long wanted) {
    String name = bucket.name();
    String action = "open " + bucket.label();
    long registered = readLifetime(action, name);
    if (registered == 0) {
      insertIfAbsent(action, name, wanted);
      registered = readLifetime(action, name);
    }
    if (registered == 0) {
      throw new StoreException("cannot " + action + ": it could not be created");
    }
    lifetimes.put(name, registered);
    return registered;
  }

  private void insertIfAbsent(String action, String name, long lifetime) {
    pool.write(
        action,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.createBucket())) {
            statement.setString(1, name);
            statement.setLong(2, lifetime);
            return statement.executeUpdate();
          }
        },
        0);
  }

  /// 0 if the bucket is not registered.
  private long readLifetime(String action, String name) {
    return pool.read(
        action,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.lifetime())) {
            statement.setString(1, name);
            try (ResultSet found = statement.executeQuery()) {
              return found.next() ? found.getLong(1) : 0L;
            }
          }
        });
  }

  private static String describe(long lifetime) {
    return lifetime == NEVER_EXPIRES ? "an unlimited time" : lifetime / 1000.0 + " s";
  }
}
