package keyfleet.sqlite;

import static keyfleet.store.StoreFixtures.sealed;
import static keyfleet.store.StoreFixtures.v;
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
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.EnvelopeScan.Encoding;
import keyfleet.store.engine.EnvelopeScan.Finding;
import keyfleet.store.engine.EnvelopeScan.Scope;
import keyfleet.store.engine.EnvelopeScan.SkippedPart;
import keyfleet.store.engine.EnvelopeScannerContract;
import keyfleet.store.engine.EnvelopeScannerFixture;
import org.junit.jupiter.api.Test;

class SqliteEnvelopeScannerTest implements EnvelopeScannerContract {
  @Override
  public EnvelopeScannerFixture fixture() {
    return new SqliteEnvelopeScannerFixture();
  }

  /// SQLite columns accept any value, whatever their declared type.
  @Test
  void columnOfAnyType_isScanned() {
    try (SqliteTestFolder folder = new SqliteTestFolder();
        SqliteEngine engine = folder.openEngine()) {
      String envelope = "x'" + HexFormat.of().formatHex(sealed(3).toArray()) + "'";
      folder.sql(
          "CREATE TABLE odd (n INTEGER, t TEXT, b)",
          "INSERT INTO odd VALUES (1, 'a', NULL), (%1$s, CAST(%1$s AS TEXT), 2.5)"
              .formatted(envelope));
      EnvelopeScan scan = engine.scanForEnvelopes(Scope.whole(Set.of()));
      assertEquals(
          List.of(
              new Finding("odd", "n", Encoding.BYTES, new TreeMap<>(Map.of(v(3), 1L)), 0),
              new Finding("odd", "t", Encoding.BYTES, new TreeMap<>(Map.of(v(3), 1L)), 0)),
          scan.undeclared());
    }
  }

  @Test
  void nameInOtherCase_isTheDeclaredOne() {
    try (SqliteTestFolder folder = new SqliteTestFolder();
        SqliteEngine engine = folder.openEngine()) {
      folder.sql(
          "CREATE TABLE Orders (ID TEXT PRIMARY KEY, Secret BLOB)",
          "INSERT INTO orders VALUES ('a', x'%s')"
              .formatted(HexFormat.of().formatHex(sealed(3).toArray())));
      CollectionShape shape = new CollectionShape("orders", "id", new TreeSet<>(Set.of("secret")));
      assertEquals(List.of(), engine.scanForEnvelopes(Scope.whole(Set.of(shape))).undeclared());
    }
  }

  @Test
  void virtualTable_isSkippedWithItsShadowTables() {
    try (SqliteTestFolder folder = new SqliteTestFolder();
        SqliteEngine engine = folder.openEngine()) {
      folder.sql("CREATE VIRTUAL TABLE words USING fts5(word)");
      List<String> skipped =
          engine.scanForEnvelopes(Scope.whole(Set.of())).notScanned().stream()
              .map(SkippedPart::what)
              .toList();
      assertTrue(skipped.contains("virtual table words"), skipped::toString);
      assertTrue(skipped.contains("table words_content"), skipped::toString);
    }
  }

  private static final class SqliteEnvelopeScannerFixture implements EnvelopeScannerFixture {
    private final SqliteTestFolder folder = new SqliteTestFolder();
    private final SqliteEngine engine = folder.openEngine();

    @Override
    public Engine engine() {
      return engine;
    }

    @Override
    public void createCollection(String collection) {
      folder.sql(
          "CREATE TABLE %s (id INTEGER PRIMARY KEY, secret BLOB, other BLOB, note TEXT)"
              .formatted(SqliteVersionTags.quote(collection)));
    }

    @Override
    public void addRecord(String collection, byte[] secret, byte[] other, String note) {
      try (Connection application = folder.connect();
          PreparedStatement insert =
              application.prepareStatement(
                  "INSERT INTO %s (secret, other, note) VALUES (?, ?, ?)"
                      .formatted(SqliteVersionTags.quote(collection)))) {
        insert.setBytes(1, secret);
        insert.setBytes(2, other);
        insert.setString(3, note);
        insert.executeUpdate();
      } catch (SQLException e) {
        throw new IllegalStateException("the application cannot write", e);
      }
    }

    @Override
    public String createView(String name, String of) {
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
