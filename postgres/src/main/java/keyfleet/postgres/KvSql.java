package keyfleet.postgres;

/// The SQL statements of [PostgresKv] in one schema. Each is one round trip and one transaction.
///
/// **Revisions** come from one sequence. A number taken before a wait for a row lock could be
/// committed after a higher number of an entry that was written and deleted meanwhile. So every
/// write first takes an advisory lock of its key, which it holds until the commit, and takes the
/// number after that. The revisions of a key rise in the order of its commits, also across
/// deletions and sweeps.
///
/// **Visibility.** A statement's snapshot is older than its advisory lock. This is safe: `ON
/// CONFLICT` finds the current row, and an `UPDATE` or `DELETE` whose row has changed since the
/// snapshot checks the new row again before it acts (read committed).
///
/// **Values.** A value that is a JSON document is in `document`, where people read it and search in
/// it; any other, and every value of a database that is not in UTF-8, is in `value`. The type is
/// `json` and not `jsonb`, which changes the order of fields: a reader must get the bytes that were
/// written, because nonces and the audit's hashes are compared by them.
///
/// **Expiry.** `now` is the server's clock, but never earlier than a time that the client has seen;
/// a lasting entry has an endless lifetime.
final class KvSql {
  private static final String CLOCK =
      "greatest(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, ?::bigint)";

  /// Parameters: the floor of the clock.
  static final String NOW = "SELECT " + CLOCK;

  /// Keeps each sweep short.
  private static final int MAX_SWEPT_ROWS = 10_000;

  /// Parameters: bucket, key, value, whether it is a document, expected revision, lifetime, floor
  /// of the clock. The first step is materialized, so that no value that is not a text is
  /// converted.
  private static final String LOCK_KEY =
      """
      WITH given AS MATERIALIZED (
        SELECT ?::text AS bucket, ?::text AS key, ?::bytea AS value,
               ?::boolean AND getdatabaseencoding() = 'UTF8' AS is_document,
               ?::bigint AS expected, ?::bigint AS lifetime, ?::bigint AS floor),
      call AS MATERIALIZED (
        SELECT bucket, key, expected, lifetime, floor,
               CASE WHEN is_document THEN NULL ELSE value END AS value,
               CASE WHEN is_document THEN convert_from(value, 'UTF8')::json END AS document
        FROM given),
      locked AS MATERIALIZED (
        SELECT call.*, pg_advisory_xact_lock(
                 hashtextextended('{schema}/' || bucket || '/' || key, 0)) FROM call),
      timed AS MATERIALIZED (
        SELECT locked.*, {now} AS now FROM locked)
      """
          .replace("{now}", CLOCK.replace("?::bigint", "floor"));

  private static final String INSERT =
      """
      INSERT INTO {schema}.kv AS old (bucket, key, revision, written_at, value, document)
      SELECT bucket, key, nextval('{schema}.revisions'), now, value, document FROM timed
      ON CONFLICT (bucket, key) DO UPDATE
        SET revision = excluded.revision, value = excluded.value, document = excluded.document,
            written_at = greatest(excluded.written_at, old.written_at)
        {condition}
      RETURNING revision, written_at
      """;

  private static final String IS_CURRENT =
      """
      kv.bucket = timed.bucket AND kv.key = timed.key AND kv.revision = timed.expected
      AND kv.written_at > timed.now - timed.lifetime
      RETURNING kv.revision, kv.written_at
      """;

  private final String schema;

  KvSql(String schema) {
    this.schema = schema;
  }

  String channel() {
    return "keyfleet_" + schema;
  }

  String create() {
    String expired = "WHERE old.written_at <= excluded.written_at - (SELECT lifetime FROM timed)";
    return inSchema(LOCK_KEY + INSERT.replace("{condition}", expired));
  }

  String put() {
    return inSchema(LOCK_KEY + INSERT.replace("{condition}", ""));
  }

  String update() {
    return inSchema(
        LOCK_KEY
            + """
            UPDATE {schema}.kv
            SET revision = nextval('{schema}.revisions'), value = timed.value,
                document = timed.document,
                written_at = greatest(timed.now, kv.written_at)
            FROM timed WHERE
            """
            + IS_CURRENT);
  }

  String delete() {
    return inSchema(LOCK_KEY + "DELETE FROM {schema}.kv USING timed WHERE " + IS_CURRENT);
  }

  /// Parameters: bucket, key, floor of the clock, lifetime.
  String get() {
    return inSchema(
        """
        SELECT key, value, revision, written_at, document FROM {schema}.kv
        WHERE bucket = ? AND key = ? AND written_at >
        """
            + CLOCK
            + " - ?");
  }

  /// Parameters: bucket, first key, first key after the last, floor of the clock, lifetime.
  String list() {
    return inSchema(
        """
        SELECT key, value, revision, written_at, document FROM {schema}.kv
        WHERE bucket = ? AND key >= ? AND key < ? AND written_at >
        """
            + CLOCK
            + " - ? ORDER BY key");
  }

  /// Once per lifetime one of all clients sweeps; the update of `swept_at` selects it. Locked rows
  /// stay for the next sweep. Parameters: bucket, lifetime, floor of the clock.
  String sweep() {
    return inSchema(
        """
        WITH call AS MATERIALIZED (
          SELECT ?::text AS bucket, ?::bigint AS lifetime, {now} AS now),
        due AS (
          UPDATE {schema}.buckets SET swept_at = call.now FROM call
          WHERE name = call.bucket AND swept_at <= call.now - call.lifetime RETURNING name),
        gone AS (
          SELECT kv.bucket, kv.key FROM {schema}.kv, due, call
          WHERE kv.bucket = due.name AND kv.written_at <= call.now - call.lifetime
          LIMIT {limit} FOR UPDATE OF kv SKIP LOCKED)
        DELETE FROM {schema}.kv USING gone WHERE kv.bucket = gone.bucket AND kv.key = gone.key
        """
            .replace("{now}", CLOCK)
            .replace("{limit}", Integer.toString(MAX_SWEPT_ROWS)));
  }

  /// Parameters: name, lifetime.
  String createBucket() {
    return inSchema(
        """
        INSERT INTO {schema}.buckets (name, lifetime, swept_at) VALUES (?, ?, 0)
        ON CONFLICT (name) DO NOTHING
        """);
  }

  /// Parameters: name.
  String lifetime() {
    return inSchema("SELECT lifetime FROM {schema}.buckets WHERE name = ?");
  }

  private String inSchema(String sql) {
    return sql.replace("{schema}", schema).replace("{channel}", channel());
  }
}
