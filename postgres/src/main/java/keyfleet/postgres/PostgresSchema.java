package keyfleet.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import keyfleet.store.StoreRefusedException;

/// The tables of this engine, created on first use. If they exist in this version, nothing is
/// written, so the role needs the right to create only once.
final class PostgresSchema {
  static final int VERSION = 2;

  private static final String TABLES =
      """
      CREATE TABLE {schema}.meta (name text PRIMARY KEY, value bigint NOT NULL);
      CREATE TABLE {schema}.buckets (
        name text COLLATE "C" PRIMARY KEY,
        lifetime bigint NOT NULL,
        swept_at bigint NOT NULL);
      CREATE TABLE {schema}.kv (
        bucket text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        revision bigint NOT NULL,
        written_at bigint NOT NULL,
        value bytea,
        document json,
        PRIMARY KEY (bucket, key),
        CHECK (num_nonnulls(value, document) = 1)) WITH (fillfactor = 80);
      CREATE SEQUENCE {schema}.revisions;
      CREATE TABLE {schema}.fences (
        table_schema text COLLATE "C" NOT NULL,
        table_name text COLLATE "C" NOT NULL,
        incarnation bigint NOT NULL,
        epoch bigint NOT NULL,
        writable integer[] NOT NULL,
        body text NOT NULL,
        PRIMARY KEY (table_schema, table_name));
      INSERT INTO {schema}.meta VALUES ('schema_version', {version});
      """;

  private final String schema;

  PostgresSchema(String schema) {
    this.schema = schema;
  }

  void ensureCreated(Connection connection) throws SQLException {
    checkAccess(
        connection,
        it -> {
          if (!hasTables(it)) {
            create(it);
          }
        });
  }

  /// For a command that only reads.
  void requireExisting(Connection connection, String address) throws SQLException {
    checkAccess(
        connection,
        it -> {
          if (!hasTables(it)) {
            throw StoreRefusedException.noStore(address);
          }
        });
  }

  @FunctionalInterface
  private interface Preparation {
    void run(Connection connection) throws SQLException;
  }

  private void checkAccess(Connection connection, Preparation preparation) throws SQLException {
    try {
      preparation.run(connection);
      checkVersion(connection);
    } catch (SQLException e) {
      if (!PostgresErrorKind.sqlState(e).equals("42501")) {
        throw e;
      }
      throw new StoreRefusedException(
          "schema " + schema + " cannot be created or used: " + PostgresErrorKind.describe(e),
          ("GRANT CREATE ON DATABASE … to this role for the first start, or, if the schema is"
                  + " there, GRANT USAGE ON SCHEMA %1$s, SELECT, INSERT, UPDATE, DELETE ON ALL"
                  + " TABLES IN SCHEMA %1$s, USAGE ON ALL SEQUENCES IN SCHEMA %1$s")
              .formatted(schema),
          e);
    }
  }

  private void create(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      // Of processes that start together, one creates the tables.
      statement.execute(inSchema("SELECT pg_advisory_xact_lock(hashtextextended('{schema}/', 0))"));
      if (!hasSchema(statement)) {
        statement.execute(inSchema("CREATE SCHEMA {schema}"));
      }
      if (!hasTables(connection)) {
        statement.execute(inSchema(TABLES));
      }
      connection.commit();
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private void checkVersion(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                inSchema("SELECT value FROM {schema}.meta WHERE name = 'schema_version'"))) {
      long version = found.next() ? found.getLong(1) : 0;
      if (version != VERSION) {
        throw new StoreRefusedException(
            "schema %s has version %d, this Keyfleet knows version %d"
                .formatted(schema, version, VERSION),
            "use the Keyfleet version that created it, or another schema with schema=NAME");
      }
    }
  }

  private boolean hasTables(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                inSchema(
                    """
                    SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = '{schema}' AND c.relname = 'meta'
                    """))) {
      return found.next() && found.getLong(1) > 0;
    }
  }

  private boolean hasSchema(Statement statement) throws SQLException {
    try (ResultSet found =
        statement.executeQuery(
            inSchema("SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'"))) {
      return found.next() && found.getLong(1) > 0;
    }
  }

  private String inSchema(String sql) {
    return sql.replace("{schema}", schema).replace("{version}", Integer.toString(VERSION));
  }
}
