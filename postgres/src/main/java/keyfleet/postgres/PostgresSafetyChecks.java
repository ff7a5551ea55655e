package keyfleet.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreCheck;

/// Checks in a server's settings whether it keeps the writes that it acknowledges.
final class PostgresSafetyChecks {
  private static final int MIN_VERSION = 12;

  private final PostgresSettings settings;
  private final Connection connection;
  private final List<StoreCheck> checks = new ArrayList<>();

  PostgresSafetyChecks(PostgresSettings settings, Connection connection) {
    this.settings = settings;
    this.connection = connection;
  }

  /// Throws for a server that must not be used at all. Called before anything is written.
  void refuseUnsafeServer() throws SQLException {
    int version = Integer.parseInt(queryText("SHOW server_version_num")) / 10_000;
    if (version < MIN_VERSION) {
      throw new StoreRefusedException(
          "%s runs PostgreSQL %d; Keyfleet needs %d or later"
              .formatted(settings.address(), version, MIN_VERSION),
          "upgrade the server");
    }
    if (queryText("SELECT pg_is_in_recovery()").equals("t")) {
      throw new StoreRefusedException(
          settings.address() + " is a standby, which may be behind",
          "name the primary, or all hosts: postgresql://HOST1,HOST2/DATABASE");
    }
    checks.add(StoreCheck.ok("PostgreSQL " + queryText("SHOW server_version") + ", a primary"));
  }

  List<StoreCheck> runChecks() throws SQLException {
    checkDisk();
    checkCommit();
    checkTls();
    checkFences();
    return List.copyOf(checks);
  }

  private void checkDisk() throws SQLException {
    for (String setting : List.of("fsync", "full_page_writes")) {
      checks.add(
          queryText("SHOW " + setting).equals("on")
              ? StoreCheck.ok(setting + " is on")
              : StoreCheck.fail(
                  setting + " is off: a crash of the host may lose or corrupt acknowledged writes",
                  "ALTER SYSTEM SET %s = on; SELECT pg_reload_conf()".formatted(setting)));
    }
  }

  /// Keyfleet sets `synchronous_commit` in its own sessions; applications use the server's default.
  private void checkCommit() throws SQLException {
    String value =
        queryText(
            "SELECT coalesce(reset_val, '') FROM pg_settings WHERE name = 'synchronous_commit'");
    checks.add(
        value.equals("off")
            ? StoreCheck.warn(
                "synchronous_commit is off: Keyfleet sets it for its own writes, but a crash may"
                    + " lose acknowledged writes of applications",
                "ALTER SYSTEM SET synchronous_commit = on; SELECT pg_reload_conf()")
            : StoreCheck.ok(
                "synchronous_commit is " + value + ", and on for Keyfleet's own writes"));
    if (!queryText("SELECT count(*) FROM pg_stat_replication").equals("0")
        && queryText("SHOW synchronous_standby_names").isEmpty()) {
      checks.add(
          StoreCheck.warn(
              "there are standbys, and none is synchronous: a failover may lose"
                  + " acknowledged writes",
              "set synchronous_standby_names"));
    }
  }

  private void checkTls() {
    if (settings.isEncrypted()) {
      checks.add(StoreCheck.ok("the connection is encrypted"));
    } else if (settings.isOnThisHost()) {
      checks.add(StoreCheck.ok("the connection is not encrypted and stays on this host"));
    } else {
      checks.add(
          StoreCheck.fail(
              "the connection is not encrypted", "sslmode=verify-full, with sslrootcert=FILE"));
    }
  }

  /// Checks that every raised fence is still in place.
  private void checkFences() throws SQLException {
    String removedFences =
        queryText(
            """
            SELECT coalesce(string_agg(format('%I.%I', table_schema, table_name), ', '), '')
            FROM {schema}.fences WHERE NOT EXISTS (
              SELECT 1 FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
              WHERE t.tgname = '{schema}_fence' AND t.tgenabled = 'A' AND body = {digest}
                AND t.tgrelid = to_regclass(format('%I.%I', table_schema, table_name)))
            """
                .replace("{schema}", settings.schema())
                .replace("{digest}", FenceSql.DIGEST));
    checks.add(
        removedFences.isEmpty()
            ? StoreCheck.ok("all fences are in place")
            : StoreCheck.fail(
                "the fence was removed from "
                    + removedFences
                    + ": writers may bring old key versions back",
                "find out who changed the trigger or its function, then rotate again"));
  }

  private String queryText(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery(query)) {
      String text = answer.next() ? answer.getString(1) : null;
      return text == null ? "" : text;
    }
  }
}
