package keyfleet.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

class SqliteKvTest implements KvContract, KvRaceContract {
  @Override
  public KvRig rig() {
    return new Rig();
  }

  private static final class Rig implements KvRig {
    private final SqliteFolder folder = new SqliteFolder();
    private final SqliteEngine engine = folder.engine();

    @Override
    public Kv kv() {
      return engine.kv();
    }

    @Override
    public void pass(Duration duration) {
      folder.advance(duration);
    }

    /// Delays the poll thread for longer than the allowed gap.
    @Override
    public void whileWatchesAreCut(Runnable meanwhile) {
      synchronized (engine.watches()) {
        meanwhile.run();
        folder.advance(SqliteWatches.LATE.multipliedBy(2));
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
        SqliteFolder.execute(connection, "BEGIN IMMEDIATE");
        for (Key key : keys.subList(1, keys.size())) {
          insert.setString(1, key.value());
          insert.execute();
        }
        SqliteFolder.execute(connection, "COMMIT");
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
