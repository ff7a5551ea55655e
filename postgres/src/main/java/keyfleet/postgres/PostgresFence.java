package keyfleet.postgres;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.FenceResult;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Unknown;

/// Raises the fence of one table and stores it.
///
/// **The barrier** is a table lock: it waits for every open transaction that has written the table,
/// and every later writer waits for it. Replacing the function without the lock is not enough: a
/// transaction could have passed the old function and commit later. A writer that takes its lock
/// afterwards sees the new trigger and function, even with an old snapshot, because the server
/// reads its catalogues again at every lock. Readers never wait.
///
/// While the barrier waits, writers queue behind it. So the first wait is short; then the writers
/// pass, and each further wait is longer.
final class PostgresFence {
  private static final Duration FIRST_LOCK_WAIT = Duration.ofMillis(100);

  /// The last wait is 16 times the first; all waits and the pauses between them take 6 s.
  private static final int MAX_ATTEMPTS = 5;

  private final PostgresPool pool;
  private final String schema;
  private final PostgresTable table;
  private final FenceSql sql;

  PostgresFence(PostgresPool pool, String schema, PostgresTable table) {
    this.pool = pool;
    this.schema = schema;
    this.table = table;
    this.sql = new FenceSql(schema, table);
  }

  Optional<Fence> current() {
    return pool.read("read the fence of " + table.qualifiedName(), this::readFence);
  }

  FenceResult raise(Fence fence) {
    return raise(held -> held.canYieldTo(fence), fence);
  }

  FenceResult replace(Fence held, Fence next) {
    if (current().isEmpty()) {
      throw new StoreException("table %s has no fence to replace".formatted(table.qualifiedName()));
    }
    return raise(held::equals, next);
  }

  /// `canReplace` decides on the present fence.
  private FenceResult raise(Predicate<Fence> canReplace, Fence fence) {
    String action = "fence " + table.qualifiedName();
    Duration wait = FIRST_LOCK_WAIT;
    for (int i = 0; i < MAX_ATTEMPTS; i++, wait = wait.multipliedBy(2)) {
      Duration limit = wait;
      Optional<FenceResult> outcome =
          pool.write(
              action,
              connection -> tryRaise(connection, canReplace, fence, limit),
              Optional.of(new Unknown()));
      if (outcome.isPresent()) {
        return outcome.get();
      }
    }
    throw new StoreException(
        "cannot %s: open transactions that have written to it do not end; sessions %s"
            .formatted(action, pool.read(action, this::listWriterSessions)));
  }

  /// Empty if the lock was not granted in time.
  private Optional<FenceResult> tryRaise(
      Connection connection, Predicate<Fence> canReplace, Fence fence, Duration limit)
      throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      Fence kept = readFence(connection).filter(canReplace.negate()).orElse(null);
      if (kept != null) {
        return Optional.of(new Refused(kept));
      }
      statement.execute(SessionSettings.setLocalTimeout("lock_timeout", limit));
      statement.execute("LOCK TABLE " + table.qualifiedName() + " IN SHARE ROW EXCLUSIVE MODE");
      return Optional.of(raiseUnderLock(connection, statement, canReplace, fence));
    } catch (SQLException e) {
      return handleFailure(connection, e, limit);
    }
  }

  private FenceResult raiseUnderLock(
      Connection connection, Statement statement, Predicate<Fence> canReplace, Fence fence)
      throws SQLException {
    // Another driver may have raised a fence during the wait; the lock excludes a third one.
    Fence kept = readFence(connection).filter(canReplace.negate()).orElse(null);
    if (kept != null) {
      return new Refused(kept);
    }
    statement.execute(sql.createFunction(fence));
    installTrigger(connection, statement);
    storeFence(connection, fence);
    connection.commit();
    return new Raised();
  }

  private Optional<FenceResult> handleFailure(Connection connection, SQLException e, Duration limit)
      throws SQLException {
    return switch (PostgresErrorKind.sqlState(e)) {
      case "55P03" -> {
        letWritersPass(connection, limit);
        yield Optional.empty();
      }
      case "42501" ->
          throw new StoreRefusedException(
              "the role may not fence table %s: %s"
                  .formatted(table.qualifiedName(), PostgresErrorKind.describe(e)),
              "ALTER TABLE %s OWNER TO this role or one of its groups, and GRANT CREATE ON SCHEMA %s"
                  .formatted(table.qualifiedName(), schema),
              e);
      default -> throw e;
    };
  }

  /// Pauses on the server.
  private static void letWritersPass(Connection connection, Duration pause) throws SQLException {
    connection.rollback();
    connection.setAutoCommit(true);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_sleep(%d / 1000.0)".formatted(pause.toMillis()));
    }
  }

  /// A correct trigger stays: dropping it waits for readers and blocks them.
  private void installTrigger(Connection connection, Statement statement) throws SQLException {
    List<String> found = findTriggers(connection);
    if (found.contains("another")) {
      statement.execute(
          "DROP TRIGGER %s ON %s".formatted(sql.quotedTriggerName(), table.qualifiedName()));
    }
    if (!found.contains("ours")) {
      statement.execute(
          "CREATE TRIGGER %s AFTER INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s()"
              .formatted(
                  sql.quotedTriggerName(), table.qualifiedName(), sql.qualifiedFunctionName()));
    }
    for (String unprotected : findTablesWithoutAlwaysTrigger(connection)) {
      statement.execute(
          "ALTER TABLE %s ENABLE ALWAYS TRIGGER %s"
              .formatted(unprotected, sql.quotedTriggerName()));
    }
  }

  /// The triggers with the fence's name on the table: at most one.
  private List<String> findTriggers(Connection connection) throws SQLException {
    return queryTexts(
        connection,
        """
        SELECT CASE WHEN tgtype = 21 AND tgqual IS NULL AND tgattr = '' AND tgnargs = 0
                    AND tgconstraint = 0 AND tgfoid = to_regproc(?) THEN 'ours' ELSE 'another' END
        FROM pg_trigger WHERE tgrelid = to_regclass(?) AND tgname = ?
        """,
        sql.qualifiedFunctionName(),
        table.qualifiedName(),
        sql.triggerName());
  }

  /// The table and its partitions where a session can still switch the trigger off for itself.
  private List<String> findTablesWithoutAlwaysTrigger(Connection connection) throws SQLException {
    return queryTexts(
        connection,
        """
        SELECT tgrelid::regclass::text FROM pg_trigger
        WHERE tgname = ? AND tgenabled <> 'A' AND (tgrelid = to_regclass(?)
          OR tgrelid IN (SELECT relid FROM pg_partition_tree(to_regclass(?))))
        """,
        sql.triggerName(),
        table.qualifiedName(),
        table.qualifiedName());
  }

  private String listWriterSessions(Connection connection) throws SQLException {
    return String.join(
        ", ",
        queryTexts(
            connection,
            """
            SELECT DISTINCT pid::text FROM pg_locks
            WHERE relation IN (SELECT to_regclass(?)
                               UNION SELECT relid FROM pg_partition_tree(to_regclass(?)))
              AND granted AND mode NOT IN ('AccessShareLock', 'RowShareLock')
            """,
            table.qualifiedName(),
            table.qualifiedName()));
  }

  private Optional<Fence> readFence(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT incarnation, epoch, writable FROM %s.fences WHERE table_schema = ? AND table_name = ?"
                .formatted(schema))) {
      statement.setString(1, table.schema());
      statement.setString(2, table.shape().name());
      try (ResultSet found = statement.executeQuery()) {
        return found.next() ? Optional.of(toFence(found)) : Optional.empty();
      }
    }
  }

  private static Fence toFence(ResultSet found) throws SQLException {
    TreeSet<KekVersion> writable = new TreeSet<>();
    for (Object number : (Object[]) found.getArray(3).getArray()) {
      writable.add(new KekVersion((Integer) number));
    }
    return new Fence(new Term(found.getLong(1), found.getLong(2)), writable);
  }

  private void storeFence(Connection connection, Fence fence) throws SQLException {
    Array writable =
        connection.createArrayOf(
            "integer", fence.writable().stream().map(KekVersion::number).toArray());
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            INSERT INTO {schema}.fences
            SELECT ?, ?, ?, ?, ?, {digest} FROM pg_proc p WHERE p.oid = to_regproc(?)
            ON CONFLICT (table_schema, table_name) DO UPDATE SET
              incarnation = excluded.incarnation, epoch = excluded.epoch,
              writable = excluded.writable, body = excluded.body
            """
                .replace("{schema}", schema)
                .replace("{digest}", FenceSql.DIGEST))) {
      statement.setString(1, table.schema());
      statement.setString(2, table.shape().name());
      statement.setLong(3, fence.term().incarnation());
      statement.setLong(4, fence.term().epoch());
      statement.setArray(5, writable);
      statement.setString(6, sql.qualifiedFunctionName());
      statement.executeUpdate();
    }
  }

  private static List<String> queryTexts(Connection connection, String query, String... parameters)
      throws SQLException {
    List<String> texts = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          texts.add(found.getString(1));
        }
      }
    }
    return texts;
  }
}
