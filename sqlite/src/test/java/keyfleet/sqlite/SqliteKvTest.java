package keyfleet.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.KvContract;
import keyfleet.store.KvFixture;
import keyfleet.store.KvRaceContract;
import keyfleet.store.Value;

class SqliteKvTest implements KvContract, KvRaceContract {
  @Override
  public KvFixture fixture() {
    return new SqliteKvFixture();
  }

  private static final class SqliteKvFixture implements KvFixture {
    private final SqliteTestFolder folder = new SqliteTestFolder();
    private final SqliteEngine engine = folder.openEngine();

    @Override
    public Kv kv() {
      return engine.kv();
    }

    @Override
    public void advanceTime(Duration duration) {
      folder.advance(duration);
    }

    /// Delays the poll thread for longer than the allowed gap.
    @Override
    public void runWithWatchesDisconnected(Runnable meanwhile) {
      synchronized (engine.watchPoller()) {
        meanwhile.run();
        folder.advance(SqliteWatchPoller.LATE_LIMIT.multipliedBy(2));
      }
    }

    /// One transaction for all keys but the first, which creates the bucket.
    @Override
    public void fill(Bucket bucket, List<Key> keys) {
      kv().put(bucket, keys.getFirst(), Value.of(keys.getFirst().value()));
      try (Connection connection = folder.connect();
          PreparedStatement insert =
              connection.prepareStatement(
                  "INSERT INTO keyfleet_entries VALUES ('%s', ?1, CAST(?1 AS BLOB), 1, 1)"
                      .formatted(bucket.name()))) {
        SqliteTestFolder.execute(connection, "BEGIN IMMEDIATE");
        for (Key key : keys.subList(1, keys.size())) {
          insert.setString(1, key.value());
          insert.execute();
        }
        SqliteTestFolder.execute(connection, "COMMIT");
      } catch (SQLException e) {
        throw new IllegalStateException("the store cannot be filled", e);
      }
    }

    @Override
    public void close() {
      engine.close();
      folder.close();
    }
  }
}
