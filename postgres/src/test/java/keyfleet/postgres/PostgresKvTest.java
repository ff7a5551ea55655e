package keyfleet.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.KvContract;
import keyfleet.store.KvFixture;
import keyfleet.store.KvRaceContract;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.BeforeAll;

class PostgresKvTest implements KvContract, KvRaceContract {
  private static final String DATABASE = "contract";
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  @BeforeAll
  static void createDatabase() {
    PostgresTestServer.shared().execute("postgres", "CREATE DATABASE " + DATABASE);
  }

  @Override
  public KvFixture fixture() {
    return new PostgresKvFixture("fixture" + SCHEMAS.incrementAndGet());
  }

  /// Each fixture has its own schema.
  private static final class PostgresKvFixture implements KvFixture {
    private final PostgresTestServer server = PostgresTestServer.shared();
    private final String schema;
    private final PostgresEngine engine;

    PostgresKvFixture(String schema) {
      this.schema = schema;
      this.engine = PostgresEngine.open(StoreUrl.parse(server.url(DATABASE, "schema=" + schema)));
    }

    @Override
    public Kv kv() {
      return engine.kv();
    }

    @Override
    public void advanceTime(Duration duration) {
      server.execute("postgres", "SELECT pg_sleep(%d / 1000.0)".formatted(duration.toMillis()));
    }

    /// The server refuses new connections, so that the watches cannot reconnect meanwhile.
    @Override
    public void runWithWatchesDisconnected(Runnable meanwhile) {
      server.execute(
          "postgres",
          "ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(DATABASE),
          """
          SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
          WHERE datname = '%s' AND application_name = 'keyfleet watches'
          """
              .formatted(DATABASE));
      meanwhile.run();
      server.execute("postgres", "ALTER DATABASE %s ALLOW_CONNECTIONS true".formatted(DATABASE));
    }

    @Override
    public void fill(Bucket bucket, List<Key> keys) {
      kv().get(bucket, keys.getFirst());
      try (Connection connection = server.connect(DATABASE);
          PreparedStatement statement =
              connection.prepareStatement(
                  """
                  INSERT INTO {schema}.kv
                  SELECT ?, key, nextval('{schema}.revisions'), 0, convert_to(key, 'UTF8')
                  FROM unnest(?) AS key
                  """
                      .replace("{schema}", schema))) {
        statement.setString(1, bucket.name());
        statement.setArray(
            2, connection.createArrayOf("text", keys.stream().map(Key::value).toArray()));
        statement.executeUpdate();
      } catch (SQLException e) {
        throw new IllegalStateException("cannot fill " + bucket, e);
      }
    }

    @Override
    public void close() {
      engine.close();
    }
  }
}
