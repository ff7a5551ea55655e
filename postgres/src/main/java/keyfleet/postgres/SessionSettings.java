package keyfleet.postgres;

import java.time.Duration;

/// The settings of every session. They override the defaults of the role and the database.
final class SessionSettings {
  /// Responses wait for the disk and for synchronous standbys; a stronger `remote_apply` stays.
  /// With `row_security` off a query fails instead of hiding rows. With `enable_seqscan` off a plan
  /// from a time when the table was small does not read the whole table later.
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

  /// For a statement that reads a whole table; until the end of the transaction.
  static final String LONG_READ =
      setLocalTimeout("statement_timeout", PostgresTimeouts.LONG_STATEMENT)
          + "; SET LOCAL enable_seqscan = on";

  private SessionSettings() {}

  /// Until the end of the transaction.
  static String setLocalTimeout(String setting, Duration value) {
    return "SET LOCAL %s = %d".formatted(setting, value.toMillis());
  }
}
