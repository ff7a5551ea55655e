package keyfleet.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// The SQL of a fence: a trigger function that enforces [Fence#isChangeAllowed], with the writable
/// versions as literals.
///
/// The trigger fires *after* a row is written. Only then is the row final (an application's own
/// trigger may change it before), and only then does an upsert show whether it inserted or updated.
/// The function reads no table and fixes its search path, so a writer's session cannot change its
/// result. Before each call, PL/pgSQL checks that it runs the latest version of the function.
final class FenceSql {
  /// No SQLSTATE of the server begins with these letters.
  static final String SQL_STATE = "KF001";

  /// The digest of a function `p`, to detect a replaced function.
  static final String DIGEST = "md5(p.prosrc || coalesce(p.proconfig::text, ''))";

  private static final Pattern DETAIL_PATTERN =
      Pattern.compile("incarnation=(-?\\d+) epoch=(-?\\d+) writable=(\\d+(?:,\\d+)*)");

  private static final int READABLE_CHARS = 30;

  private final String schema;
  private final PostgresTable table;

  FenceSql(String schema, PostgresTable table) {
    this.schema = schema;
    this.table = table;
  }

  String quotedTriggerName() {
    return PostgresTable.quote(schema + "_fence");
  }

  /// The trigger's name as in the catalogue, without quotes.
  String triggerName() {
    return schema + "_fence";
  }

  /// Unique for the table, and within PostgreSQL's limit for any table name.
  String functionName() {
    String name = table.shape().name();
    String start = name.substring(0, Math.min(name.length(), READABLE_CHARS));
    return "fence_" + start + "_" + digest(table.schema() + "." + name);
  }

  String qualifiedFunctionName() {
    return PostgresTable.quote(schema) + "." + PostgresTable.quote(functionName());
  }

  String createFunction(Fence fence) {
    return """
    CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $keyfleet$
    DECLARE
      {declared}
      was_unreadable boolean := false;
    BEGIN
      IF TG_OP = 'UPDATE' THEN
        {before}
        was_unreadable := {unreadable-before};
      END IF;
      {after}
      IF {adds-no-other}
        AND (was_unreadable OR NOT ({unreadable-after}))
        AND (least({n}) IS NULL OR least({n}) IN ({writable})
          OR least({n}) IS NOT DISTINCT FROM least({o})) THEN
        RETURN NULL;
      END IF;
      RAISE EXCEPTION USING ERRCODE = '{state}',
        MESSAGE = 'a record of table {name} may not newly take this KEK version',
        DETAIL = '{detail}',
        HINT = 'seal it under a writable version; the Keyfleet SDK does so once it is reloaded';
    END $keyfleet$
    """
        .replace("{declared}", each(i -> "o%1$d bytea; n%1$d bytea;".formatted(i), " "))
        .replace("{before}", each(i -> assignTag("o", "OLD", i), " "))
        .replace("{after}", each(i -> assignTag("n", "NEW", i), " "))
        .replace("{unreadable-before}", each(i -> unreadableCondition("o", "OLD", i), " OR "))
        .replace("{unreadable-after}", each(i -> unreadableCondition("n", "NEW", i), " OR "))
        .replace("{adds-no-other}", each(FenceSql::addsNoOtherVersionCondition, " AND "))
        .replace("{n}", each(i -> "n" + i, ", "))
        .replace("{o}", each(i -> "o" + i, ", "))
        .replace("{function}", qualifiedFunctionName())
        .replace("{state}", SQL_STATE)
        .replace("{name}", table.shape().name())
        .replace("{detail}", detail(fence))
        .replace("{writable}", writableLiterals(fence));
  }

  /// The fence that refused a write; empty if the write failed for another reason.
  static Optional<Fence> refusingFence(SQLException e) {
    ServerErrorMessage error = e instanceof PSQLException it ? it.getServerErrorMessage() : null;
    String detail = error == null ? null : error.getDetail();
    if (!SQL_STATE.equals(e.getSQLState()) || detail == null) {
      return Optional.empty();
    }
    Matcher match = DETAIL_PATTERN.matcher(detail);
    return match.matches() ? Optional.of(parseFence(match)) : Optional.empty();
  }

  private static Fence parseFence(Matcher match) {
    Term term = new Term(Long.parseLong(match.group(1)), Long.parseLong(match.group(2)));
    TreeSet<KekVersion> writable =
        Arrays.stream(match.group(3).split(",", -1))
            .map(it -> new KekVersion(Integer.parseInt(it)))
            .collect(Collectors.toCollection(TreeSet::new));
    return new Fence(term, writable);
  }

  private static String detail(Fence fence) {
    return "incarnation=%d epoch=%d writable=%s"
        .formatted(
            fence.term().incarnation(),
            fence.term().epoch(),
            fence.writable().stream()
                .map(it -> Integer.toString(it.number()))
                .collect(Collectors.joining(",")));
  }

  private static String writableLiterals(Fence fence) {
    return fence.writable().stream().map(VersionTagSql::literal).collect(Collectors.joining(", "));
  }

  private static String addsNoOtherVersionCondition(int i) {
    return "(n%1$d IS NULL OR n%1$d IN ({writable}) OR coalesce(n%1$d IN ({o}), false))"
        .formatted(i);
  }

  private String assignTag(String variable, String row, int i) {
    return "%s%d := %s;".formatted(variable, i, VersionTagSql.tagOf(row + "." + column(i)));
  }

  private String unreadableCondition(String variable, String row, int i) {
    return "(%s.%s IS NOT NULL AND %s%d IS NULL)".formatted(row, column(i), variable, i);
  }

  private String column(int i) {
    return table.columns().get(i);
  }

  private String each(IntFunction<String> text, String separator) {
    List<String> columns = table.columns();
    return IntStream.range(0, columns.size()).mapToObj(text).collect(Collectors.joining(separator));
  }

  private static String digest(String text) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
