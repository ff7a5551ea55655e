package keyfleet.sqlite;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.store.Bucket;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// The buckets that exist, and their kinds. The key state database lists all of them, so that a
/// name means one bucket. Only a write creates a bucket.
final class SqliteBucketRegistry {
  private static final String READ = "SELECT lifetime FROM keyfleet_buckets WHERE name = ?";
  private static final String CREATE =
      "INSERT INTO keyfleet_buckets (name, lifetime) VALUES (?, ?) ON CONFLICT DO NOTHING";

  private final SqliteDatabase stateDatabase;

  /// A cache without invalidation: buckets are never deleted.
  private final Map<String, Bucket> known = new ConcurrentHashMap<>();

  SqliteBucketRegistry(SqliteDatabase stateDatabase) {
    this.stateDatabase = stateDatabase;
  }

  /// Whether the bucket was ever written. Throws if it has another kind or lifetime.
  boolean contains(Bucket bucket) {
    @Nullable Bucket found = known.get(bucket.name());
    if (found == null) {
      found = read(bucket.name()).orElse(null);
    }
    if (found == null) {
      return false;
    }
    checkSameKind(found, bucket);
    known.put(bucket.name(), bucket);
    return true;
  }

  void create(Bucket bucket) {
    if (!contains(bucket)) {
      @Nullable String lifetime =
          bucket instanceof Bucket.Expiring(_, var length) ? length.toString() : null;
      // The outcome is read back below.
      stateDatabase.write(session -> session.update(CREATE, bucket.name(), lifetime));
      if (!contains(bucket)) {
        throw new StoreException("the " + bucket.label() + " cannot be created");
      }
    }
  }

  private Optional<Bucket> read(String name) {
    return stateDatabase.read(
        session -> session.row(READ, row -> bucket(name, row.getString(1)), name));
  }

  private static Bucket bucket(String name, @Nullable String lifetime) {
    return lifetime == null
        ? new Bucket.Lasting(name)
        : new Bucket.Expiring(name, Duration.parse(lifetime));
  }

  private static void checkSameKind(Bucket found, Bucket bucket) {
    if (!found.equals(bucket)) {
      throw new IllegalArgumentException("bucket exists as " + found + ", not as " + bucket);
    }
  }
}
