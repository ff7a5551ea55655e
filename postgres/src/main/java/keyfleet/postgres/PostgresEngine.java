package keyfleet.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLException;
import keyfleet.postgres.PostgresSettings.Target;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;

/// A PostgreSQL database: the primary of one server or of several.
public final class PostgresEngine implements Engine {
  /// Kept in a field: the JVM forgets the level of a logger without references. The driver throws
  /// everything that it would log.
  private static final Logger DRIVER_LOGGER = Logger.getLogger("org.postgresql");

  private static final String POOL_LOG_LEVEL = "slf4j.internal.verbosity";

  private final PostgresSettings settings;
  private final List<StoreCheck> storeChecks;
  private final PostgresPool pool;
  private final PostgresWatchRegistry watches;
  private final PostgresKv kv;

  private PostgresEngine(PostgresSettings settings, List<StoreCheck> storeChecks) {
    this.settings = settings;
    this.storeChecks = storeChecks;
    KvSql sql = new KvSql(settings.schema());
    this.pool = new PostgresPool(settings);
    this.watches = new PostgresWatchRegistry(settings, pool, sql.channel());
    this.kv = new PostgresKv(pool, sql, watches);
  }

  public static PostgresEngine open(StoreUrl url) {
    silenceDriverLogs();
    PostgresSettings settings = PostgresSettings.of(url);
    // A single host that is a standby is refused; among several hosts, a standby is normal.
    Target target = settings.hasOneHost() ? Target.ANY : Target.PRIMARY;
    try (Connection connection = settings.dataSource(target, "keyfleet opening").getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(SessionSettings.STATEMENT);
      PostgresSafetyChecks safetyChecks = new PostgresSafetyChecks(settings, connection);
      safetyChecks.refuseUnsafeServer();
      PostgresSchema schema = new PostgresSchema(settings.schema());
      if (url.isForReading()) {
        schema.requireExisting(connection, settings.address());
      } else {
        schema.ensureCreated(connection);
      }
      return new PostgresEngine(settings, safetyChecks.runChecks());
    } catch (SQLException e) {
      throw toOpenFailure(settings, e);
    }
  }

  @Override
  public Kv kv() {
    return kv;
  }

  @Override
  public Records records(CollectionShape shape) {
    PostgresTable table =
        pool.read(
            "find table " + shape.name(), connection -> PostgresTable.find(connection, shape));
    return new PostgresRecords(pool, table, new PostgresFence(pool, settings.schema(), table));
  }

  @Override
  public EnvelopeScan scanForEnvelopes(EnvelopeScan.Scope scope) {
    return new PostgresEnvelopeScanner(pool, settings.schema(), scope).scan();
  }

  @Override
  public void createCollection(CollectionShape shape) {
    boolean isCreated =
        pool.write(
            "create table " + shape.name(),
            connection -> PostgresTable.create(connection, shape),
            false);
    if (!isCreated) {
      throw new StoreException("cannot tell whether table " + shape.name() + " was created");
    }
  }

  @Override
  public List<StoreCheck> storeChecks() {
    return storeChecks;
  }

  @Override
  public void close() {
    watches.close();
    pool.close();
  }

  private static void silenceDriverLogs() {
    DRIVER_LOGGER.setLevel(Level.OFF);
    // Without a configured log, the pool would print its messages on the terminal.
    if (System.getProperty(POOL_LOG_LEVEL) == null) {
      System.setProperty(POOL_LOG_LEVEL, "ERROR");
    }
  }

  private static StoreException toOpenFailure(PostgresSettings settings, SQLException e) {
    String address = settings.address();
    if (isTlsFailure(e)) {
      return StoreRefusedException.noAccess(
          "no trusted encrypted connection to " + address + " is possible",
          "sslrootcert=FILE with the server's CA, and a host name from its certificate; or,"
              + " on a network that only you can read, sslmode=disable");
    }
    return switch (PostgresErrorKind.sqlState(e)) {
      case "28P01", "28000" ->
          StoreRefusedException.noAccess(
              address + " refuses the user or its password",
              "check the user, the password and pg_hba.conf");
      case "08004" ->
          StoreRefusedException.noAccess(
              address + " refuses a connection with these settings",
              "check the user, the password and sslmode; a server without TLS needs"
                  + " sslmode=disable");
      case "3D000" ->
          StoreRefusedException.noAccess(
              address + " does not exist",
              "create the database with createdb, or name another one");
      default ->
          new StoreException(address + " does not answer: " + PostgresErrorKind.describe(e), e);
    };
  }

  /// The driver gives a cause; for a host name that is not in the certificate it gives none.
  private static boolean isTlsFailure(SQLException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SSLException) {
        return true;
      }
    }
    return e.getCause() == null && PostgresErrorKind.sqlState(e).equals("08006");
  }
}
