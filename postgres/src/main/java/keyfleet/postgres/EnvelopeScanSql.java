package keyfleet.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import keyfleet.crypto.KekVersion;
import keyfleet.store.engine.Base64Envelope;
import keyfleet.store.engine.EnvelopeScan.Encoding;
import org.jspecify.annotations.Nullable;

/// The SQL statements that look for envelopes in all tables of a database.
final class EnvelopeScanSql {
  /// Columns: oid, kind, schema, name; the name to report (for a partition, that of its partitioned
  /// table); the oids under which the relation can be declared.
  static final String RELATIONS =
      """
      SELECT c.oid::bigint, c.relkind::text, n.nspname, c.relname,
        CASE WHEN pg_table_is_visible(r.oid) THEN r.relname
          ELSE rn.nspname || '.' || r.relname END,
        ARRAY(SELECT relid::oid::bigint FROM pg_partition_ancestors(c.oid)
          UNION SELECT c.oid::bigint)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_class r ON r.oid = coalesce(pg_partition_root(c.oid), c.oid)
        JOIN pg_namespace rn ON rn.oid = r.relnamespace
      WHERE c.relkind IN ('r', 'v', 'm', 'f') AND n.nspname !~ '^pg_'
        AND n.nspname <> 'information_schema' AND n.nspname <> ?
      ORDER BY 3, 4
      """;

  /// Columns: name, what to look for in it, type. Generated columns are left out: their values come
  /// from other columns.
  static final String COLUMNS =
      """
      SELECT a.attname, CASE
          WHEN b.typname = 'bytea' THEN 'bytes'
          WHEN t.typcategory = 'S' THEN 'text'
          WHEN b.typtype IN ('c', 'd') OR b.typname IN ('json', 'jsonb', 'xml', 'hstore')
            OR e.typcategory = 'S' OR e.typtype = 'c' OR e.typname IN ('bytea', 'json', 'jsonb')
            THEN 'inside'
          ELSE 'none' END,
        format_type(a.atttypid, NULL)
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
        LEFT JOIN pg_type e ON e.oid = b.typelem AND b.typcategory = 'A'
      WHERE a.attrelid = ? AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      ORDER BY a.attnum
      """;

  /// A column that can hold envelopes in that encoding.
  record Column(String name, Encoding encoding) {
    String selectAs(String alias) {
      String type = encoding == Encoding.BASE64 ? "::text" : "";
      return PostgresTable.quote(name) + type + " AS " + alias;
    }

    /// Whether `alias` begins like an envelope. The server reads only the head of the value.
    String headCondition(String alias) {
      return switch (encoding) {
        case BYTES -> "substring(%s FROM 1 FOR 4) = decode('eb4b4645', 'hex')".formatted(alias);
        case BASE64 ->
            "left(%s, %d) = '%s'"
                .formatted(alias, Base64Envelope.PREFIX.length(), Base64Envelope.PREFIX);
      };
    }

    String countByVersion(String table) {
      String version =
          switch (encoding) {
            case BYTES -> VersionTagSql.tagOf("x");
            case BASE64 ->
                "CASE WHEN length(x) >= %d THEN left(x, %d) END"
                    .formatted(Base64Envelope.MIN_LENGTH, Base64Envelope.HEADER_LENGTH);
          };
      return "SELECT %s, count(*) FROM (SELECT %s FROM ONLY %s LIMIT ?) s WHERE %s GROUP BY 1"
          .formatted(version, selectAs("x"), table, headCondition("x"));
    }

    /// From a row of [#countByVersion]; empty if the value is not an envelope.
    Optional<KekVersion> parseVersion(ResultSet row) throws SQLException {
      if (encoding == Encoding.BYTES) {
        byte @Nullable [] tag = row.getBytes(1);
        return tag == null ? Optional.empty() : Optional.of(VersionTagSql.toVersion(tag));
      }
      @Nullable String head = row.getString(1);
      return head == null ? Optional.empty() : Base64Envelope.versionOfHeader(head);
    }
  }

  private EnvelopeScanSql() {}

  /// Counts the rows and, for each column, the values that begin like an envelope.
  static String countEnvelopeHeads(String table, List<Column> columns) {
    String counts =
        IntStream.range(0, columns.size())
            .mapToObj(i ->
                ", count(*) FILTER (WHERE %s)".formatted(columns.get(i).headCondition("c" + i)))
            .collect(Collectors.joining());
    String named =
        IntStream.range(0, columns.size())
            .mapToObj(i -> columns.get(i).selectAs("c" + i))
            .collect(Collectors.joining(", "));
    return "SELECT count(*)%s FROM (SELECT %s FROM ONLY %s LIMIT ?) s"
        .formatted(counts, named, table);
  }
}
