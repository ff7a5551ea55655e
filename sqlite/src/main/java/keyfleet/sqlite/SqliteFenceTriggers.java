package keyfleet.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import keyfleet.crypto.KekVersion;
import keyfleet.store.CollectionShape;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.FenceResult;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;

/// The fence of a table: two triggers that express [Fence#isChangeAllowed] in SQL, with the
/// writable versions as literals, and a row of `keyfleet_fences` that stores the fence. One
/// transaction changes them all: a transaction that wrote before it must end first, and a
/// transaction that only read before it can no longer write.
///
/// The triggers run before the change: an application's own trigger could skip a later one with
/// `RAISE(IGNORE)`.
final class SqliteFenceTriggers {
  /// Marks an error as coming from the fence.
  static final String REFUSAL = "keyfleet fence";

  private static final String CREATE_TABLE =
      """
      CREATE TABLE IF NOT EXISTS keyfleet_fences (
        collection TEXT PRIMARY KEY COLLATE NOCASE, incarnation INTEGER NOT NULL,
        epoch INTEGER NOT NULL, writable TEXT NOT NULL)
      """;
  private static final String STORE_FENCE =
      "INSERT OR REPLACE INTO keyfleet_fences VALUES (?, ?, ?, ?)";
  private static final String READ_FENCE =
      "SELECT incarnation, epoch, writable FROM keyfleet_fences WHERE collection = ?";
  private static final String HAS_TABLE =
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'keyfleet_fences'";
  private static final String READ_TRIGGER =
      """
      SELECT sql FROM sqlite_schema
      WHERE type = 'trigger' AND name = ? COLLATE NOCASE AND tbl_name = ? COLLATE NOCASE
      """;

  private final CollectionShape shape;

  SqliteFenceTriggers(CollectionShape shape) {
    this.shape = shape;
  }

  /// `canReplace` decides on the present fence.
  FenceResult raise(SqliteSession session, Predicate<Fence> canReplace, Fence next)
      throws SQLException {
    Optional<Fence> held = readFence(session);
    if (held.isPresent() && !canReplace.test(held.get())) {
      return new Refused(held.get());
    }
    if (!held.equals(Optional.of(next)) || !hasTriggersFor(session, next)) {
      install(session, next);
    }
    return new Raised();
  }

  Optional<Fence> readFence(SqliteSession session) throws SQLException {
    return session.number(HAS_TABLE) == 0
        ? Optional.empty()
        : session.row(READ_FENCE, SqliteFenceTriggers::fence, shape.name());
  }

  /// An application that recreates its table loses the triggers with the old table.
  boolean hasTriggers(SqliteSession session) throws SQLException {
    return readTrigger(session, insertTriggerName()).isPresent()
        && readTrigger(session, updateTriggerName()).isPresent();
  }

  private boolean hasTriggersFor(SqliteSession session, Fence fence) throws SQLException {
    return readTrigger(session, insertTriggerName()).equals(Optional.of(insertTriggerSql(fence)))
        && readTrigger(session, updateTriggerName()).equals(Optional.of(updateTriggerSql(fence)));
  }

  private void install(SqliteSession session, Fence fence) throws SQLException {
    session.runOnce(CREATE_TABLE);
    session.runOnce("DROP TRIGGER IF EXISTS " + SqliteVersionTags.quote(insertTriggerName()));
    session.runOnce("DROP TRIGGER IF EXISTS " + SqliteVersionTags.quote(updateTriggerName()));
    session.runOnce(insertTriggerSql(fence));
    session.runOnce(updateTriggerSql(fence));
    Term term = fence.term();
    String writable =
        fence.writable().stream()
            .map(it -> String.valueOf(it.number()))
            .collect(Collectors.joining(","));
    session.update(STORE_FENCE, shape.name(), term.incarnation(), term.epoch(), writable);
  }

  /// `INSERT OR REPLACE` replaces one record with another, and an upsert fires this trigger even if
  /// it then updates: so the existing row with the same id counts as the record before the change.
  String insertTriggerSql(Fence fence) {
    String table = SqliteVersionTags.quote(shape.name());
    String id = SqliteVersionTags.quote(shape.idField());
    return "CREATE TRIGGER %s BEFORE INSERT ON %s %s"
        .formatted(
            SqliteVersionTags.quote(insertTriggerName()),
            table,
            triggerBody(
                fence,
                "(SELECT %%s FROM %s WHERE %s COLLATE BINARY = NEW.%s)".formatted(table, id, id)));
  }

  /// A record that changes its id counts as a new record under that id.
  String updateTriggerSql(Fence fence) {
    String id = SqliteVersionTags.quote(shape.idField());
    String columns =
        Stream.concat(Stream.of(shape.idField()), shape.sealedFields().stream())
            .map(SqliteVersionTags::quote)
            .collect(Collectors.joining(", "));
    return "CREATE TRIGGER %s BEFORE UPDATE OF %s ON %s %s"
        .formatted(
            SqliteVersionTags.quote(updateTriggerName()),
            columns,
            SqliteVersionTags.quote(shape.name()),
            triggerBody(fence, "CASE WHEN OLD.%s IS NEW.%s THEN OLD.%%s END".formatted(id, id)));
  }

  /// An absent field has no tag; a field that is not an envelope has an empty tag, which the same
  /// rule treats like a version. The first line lets most writes pass at little cost.
  private String triggerBody(Fence fence, String before) {
    String writable =
        fence.writable().stream()
            .map(it -> "'" + SqliteVersionTags.toTag(it) + "'")
            .collect(Collectors.joining(", "));
    Term term = fence.term();
    return """
    WHEN %8$s
    BEGIN
      SELECT RAISE(ABORT, '%4$s: %5$s takes no version but those of term %6$d.%7$d')
      WHERE EXISTS (
          SELECT 1 FROM (%1$s)
          WHERE tag NOT IN (%3$s) AND tag NOT IN (SELECT tag FROM (%2$s)))
        OR ifnull((SELECT min(tag) FROM (%1$s) WHERE tag <> ''), '')
          NOT IN ('', %3$s, ifnull((SELECT min(tag) FROM (%2$s) WHERE tag <> ''), ''));
    END\
    """
        .formatted(
            tagsQuery("NEW.%s"),
            tagsQuery(before),
            writable,
            REFUSAL,
            shape.name(),
            term.incarnation(),
            term.epoch(),
            hasOtherTagSql(writable));
  }

  /// SQL that is true if any field has a tag other than these.
  private String hasOtherTagSql(String writable) {
    return shape.sealedFields().stream()
        .map(it ->
            SqliteVersionTags.tagSql(
                SqliteVersionTags.bytesSql("NEW." + SqliteVersionTags.quote(it))))
        .map(it -> "ifnull(%s NOT IN (%s), 0)".formatted(it, writable))
        .collect(Collectors.joining(" OR "));
  }

  /// A query with a row for each field that is not null; `source` is the pattern for its column.
  private String tagsQuery(String source) {
    String bytes =
        shape.sealedFields().stream()
            .map(it -> source.formatted(SqliteVersionTags.quote(it)))
            .map(it -> "SELECT " + SqliteVersionTags.bytesSql(it) + " AS bytes")
            .collect(Collectors.joining(" UNION ALL "));
    return "SELECT %s AS tag FROM (%s) WHERE bytes IS NOT NULL"
        .formatted(SqliteVersionTags.tagSql("bytes"), bytes);
  }

  private Optional<String> readTrigger(SqliteSession session, String name) throws SQLException {
    return session.row(READ_TRIGGER, row -> row.getString(1), name, shape.name());
  }

  private String insertTriggerName() {
    return "keyfleet_fence_insert_" + shape.name();
  }

  private String updateTriggerName() {
    return "keyfleet_fence_update_" + shape.name();
  }

  private static Fence fence(ResultSet row) throws SQLException {
    List<KekVersion> writable =
        Arrays.stream(row.getString(3).split(",", -1))
            .map(it -> new KekVersion(Integer.parseInt(it)))
            .toList();
    return Fence.of(new Term(row.getLong(1), row.getLong(2)), Set.copyOf(writable));
  }
}
