package keyfleet.postgres;

import java.time.Duration;

/// What every session is set to. A role's or a database's own defaults must not matter.
final class SessionSettings {
  /// Replies wait for the disk, and for what else the server was told to wait for; a session that
  /// waits for more is left so. Without row security a query fails where it would be filtered. And
  /// a plan that was made while a table was small must not read all of it once it has grown.
  static final String STATEMENT =
      """
      SELECT set_config('statement_timeout', '%d', false),
             set_config('lock_timeout', '%d', false),
             set_config('idle_in_transaction_session_timeout', '%d', false),
             set_config('default_transaction_isolation', 'read committed', false),
             set_config('row_security', 'off', false),
             set_config('enable_seqscan', 'off', false),
             set_config('standard_conforming_strings', 'on', false),
             set_config('synchronous_commit',
                        CASE current_setting('synchronous_commit')
                        WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)
      """
          .formatted(
              PostgresTimeouts.STATEMENT.toMillis(),
              PostgresTimeouts.LOCK.toMillis(),
              PostgresTimeouts.IDLE_IN_TRANSACTION.toMillis());

  /// For what reads a whole table, until the end of the transaction.
  static final String LONG_READ =
      setLocalTimeout("statement_timeout", PostgresTimeouts.LONG_STATEMENT)
          + "; SET LOCAL enable_seqscan = on";

  private SessionSettings() {}

  /// Until the end of the transaction.
  static String setLocalTimeout(String setting, Duration value) {
    return "SET LOCAL %s = %d".formatted(setting, value.toMillis());
  }
}
