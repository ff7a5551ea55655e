package keyfleet.store;

import static keyfleet.store.Fixtures.sealed;
import static keyfleet.store.Fixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.store.Survey.Find;
import keyfleet.store.Survey.Form;
import keyfleet.store.Survey.Gap;
import keyfleet.store.Survey.Scope;
import org.junit.jupiter.api.Test;

class SqliteSurveyTest implements SurveyContract {
  @Override
  public SurveyRig rig() {
    return new Rig();
  }

  /// SQLite columns accept any value, whatever their declared type.
  @Test
  void columnOfAnyType_isRead() {
    try (SqliteFolder folder = new SqliteFolder();
        SqliteEngine engine = folder.engine()) {
      String envelope = "x'" + HexFormat.of().formatHex(sealed(3).toArray()) + "'";
      folder.sql(
          "CREATE TABLE odd (n INTEGER, t TEXT, b)",
          "INSERT INTO odd VALUES (1, 'a', NULL), (%1$s, CAST(%1$s AS TEXT), 2.5)"
              .formatted(envelope));
      Survey survey = engine.survey(Scope.whole(Set.of()));
      assertEquals(
          List.of(
              new Find("odd", "n", Form.BYTES, new TreeMap<>(Map.of(v(3), 1L)), 0),
              new Find("odd", "t", Form.BYTES, new TreeMap<>(Map.of(v(3), 1L)), 0)),
          survey.undeclared());
    }
  }

  @Test
  void nameInOtherLetters_isTheDeclaredOne() {
    try (SqliteFolder folder = new SqliteFolder();
        SqliteEngine engine = folder.engine()) {
      folder.sql(
          "CREATE TABLE Orders (ID TEXT PRIMARY KEY, Secret BLOB)",
          "INSERT INTO orders VALUES ('a', x'%s')"
              .formatted(HexFormat.of().formatHex(sealed(3).toArray())));
      CollectionShape shape = new CollectionShape("orders", "id", new TreeSet<>(Set.of("secret")));
      assertEquals(List.of(), engine.survey(Scope.whole(Set.of(shape))).undeclared());
    }
  }

  @Test
  void virtualTable_isLeftOutWithWhatServesIt() {
    try (SqliteFolder folder = new SqliteFolder();
        SqliteEngine engine = folder.engine()) {
      folder.sql("CREATE VIRTUAL TABLE words USING fts5(word)");
      List<String> left =
          engine.survey(Scope.whole(Set.of())).notScanned().stream().map(Gap::what).toList();
      assertTrue(left.contains("virtual table words"), left::toString);
      assertTrue(left.contains("table words_content"), left::toString);
    }
  }

  private static final class Rig implements SurveyRig {
    private final SqliteFolder folder = new SqliteFolder();
    private final SqliteEngine engine = folder.engine();

    @Override
    public Engine engine() {
      return engine;
    }

    @Override
    public void make(String collection) {
      folder.sql(
          "CREATE TABLE %s (id INTEGER PRIMARY KEY, secret BLOB, other BLOB, note TEXT)"
              .formatted(SqliteTags.quoted(collection)));
    }

    @Override
    public void add(String collection, byte[] secret, byte[] other, String note) {
      try (Connection application = folder.connect();
          PreparedStatement insert =
              application.prepareStatement(
                  "INSERT INTO %s (secret, other, note) VALUES (?, ?, ?)"
                      .formatted(SqliteTags.quoted(collection)))) {
        insert.setBytes(1, secret);
        insert.setBytes(2, other);
        insert.setString(3, note);
        insert.executeUpdate();
      } catch (SQLException e) {
        throw new IllegalStateException("the application cannot write", e);
      }
    }

    @Override
    public String view(String name, String of) {
      folder.sql("CREATE VIEW %s AS SELECT * FROM %s".formatted(name, of));
      return "view " + name;
    }

    @Override
    public void close() {
      engine.close();
      folder.close();
    }
  }
}
