package keyfleet.postgres;

import static keyfleet.postgres.PostgresFixtures.sealed;
import static keyfleet.postgres.PostgresFixtures.v;
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
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.EnvelopeScan.Cause;
import keyfleet.store.engine.EnvelopeScan.Encoding;
import keyfleet.store.engine.EnvelopeScan.Finding;
import keyfleet.store.engine.EnvelopeScan.Scope;
import keyfleet.store.engine.EnvelopeScan.SkippedPart;
import keyfleet.store.engine.EnvelopeScannerContract;
import keyfleet.store.engine.EnvelopeScannerFixture;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;

class PostgresEnvelopeScannerTest implements EnvelopeScannerContract {
  @Override
  public EnvelopeScannerFixture fixture() {
    return new PostgresEnvelopeScannerFixture();
  }

  private static Finding bytes(String table, String column, int version, long count) {
    return new Finding(table, column, Encoding.BYTES, new TreeMap<>(Map.of(v(version), count)), 0);
  }

  private static String envelope(int version) {
    return "'\\x" + HexFormat.of().formatHex(sealed(version)) + "'";
  }

  @Test
  void partitions_countAsTheirTable() {
    try (PostgresEnvelopeScannerFixture rig = new PostgresEnvelopeScannerFixture()) {
      rig.sql(
          "CREATE TABLE events (id bigint, day int, secret bytea, other bytea)"
              + " PARTITION BY RANGE (day)",
          "CREATE TABLE events1 PARTITION OF events FOR VALUES FROM (0) TO (10)",
          "CREATE TABLE events2 PARTITION OF events FOR VALUES FROM (10) TO (20)",
          "INSERT INTO events VALUES (1, 1, %s, %s)".formatted(envelope(1), envelope(2)),
          "INSERT INTO events VALUES (2, 11, %s, NULL)".formatted(envelope(1)));
      assertEquals(
          Set.of(bytes("events", "secret", 1, 2), bytes("events", "other", 2, 1)),
          Set.copyOf(rig.engine.scanForEnvelopes(Scope.whole(Set.of())).undeclared()));
      CollectionShape shape = new CollectionShape("events", "id", new TreeSet<>(Set.of("secret")));
      assertEquals(
          List.of(bytes("events", "other", 2, 1)),
          rig.engine.scanForEnvelopes(Scope.whole(Set.of(shape))).undeclared());
    }
  }

  @Test
  void otherSchemas_areReadByTheirNames() {
    try (PostgresEnvelopeScannerFixture rig = new PostgresEnvelopeScannerFixture()) {
      rig.sql(
          "CREATE SCHEMA shop",
          "CREATE TABLE shop.customers (id text, secret bytea)",
          "CREATE TABLE customers (id text, secret bytea)",
          "INSERT INTO shop.customers VALUES ('a', %s)".formatted(envelope(1)),
          "INSERT INTO customers VALUES ('a', %s)".formatted(envelope(1)));
      CollectionShape shape =
          new CollectionShape("customers", "id", new TreeSet<>(Set.of("secret")));
      assertEquals(
          List.of(bytes("shop.customers", "secret", 1, 1)),
          rig.engine.scanForEnvelopes(Scope.whole(Set.of(shape))).undeclared());
    }
  }

  @Test
  void typesOfTypes_areReadOrSaid() {
    try (PostgresEnvelopeScannerFixture rig = new PostgresEnvelopeScannerFixture()) {
      rig.sql(
          "CREATE DOMAIN sealed AS bytea",
          "CREATE TABLE t (a sealed, b varchar(500), c jsonb, d bytea[], e int[], f uuid,"
              + " g bytea GENERATED ALWAYS AS (a) STORED)",
          "INSERT INTO t (a) VALUES (%s)".formatted(envelope(1)));
      EnvelopeScan envelopeScan = rig.engine.scanForEnvelopes(Scope.whole(Set.of()));
      assertEquals(List.of(bytes("t", "a", 1, 1)), envelopeScan.undeclared());
      assertEquals(
          List.of(
              new SkippedPart("column c of t", "nothing is looked for inside jsonb", Cause.RULE),
              new SkippedPart("column d of t", "nothing is looked for inside bytea[]", Cause.RULE)),
          envelopeScan.notScanned().stream().filter(it -> it.what().startsWith("column")).toList());
    }
  }

  @Test
  void tableThatMayNotBeRead_isSaidAndTheOthersAreRead() {
    try (PostgresEnvelopeScannerFixture rig = new PostgresEnvelopeScannerFixture()) {
      rig.createCollection("closed");
      rig.createCollection("open");
      rig.addRecord("open", sealed(1), new byte[0], "");
      rig.sql(
          "CREATE ROLE %s LOGIN".formatted(rig.database),
          "GRANT CREATE ON DATABASE %1$s TO %1$s".formatted(rig.database),
          "GRANT SELECT ON open TO " + rig.database);
      String url =
          PostgresEnvelopeScannerFixture.SERVER
              .url(rig.database, "schema=kf")
              .replace(PostgresTestServer.ADMIN, rig.database);
      try (Engine engine = PostgresEngine.open(StoreUrl.parse(url))) {
        EnvelopeScan envelopeScan = engine.scanForEnvelopes(Scope.whole(Set.of()));
        assertEquals(List.of(bytes("open", "secret", 1, 1)), envelopeScan.undeclared());
        SkippedPart skippedPart =
            envelopeScan.notScanned().stream()
                .filter(it -> it.cause() == Cause.TROUBLE)
                .filter(it -> it.what().equals("table closed"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(envelopeScan.notScanned()));
        assertTrue(skippedPart.reason().contains("permission denied"), skippedPart::reason);
      }
    }
  }

  private static final class PostgresEnvelopeScannerFixture implements EnvelopeScannerFixture {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final PostgresTestServer SERVER = PostgresTestServer.shared();

    private final String database = "survey" + COUNT.incrementAndGet();
    private final PostgresEngine engine;

    PostgresEnvelopeScannerFixture() {
      SERVER.sql("postgres", "CREATE DATABASE " + database);
      engine = PostgresEngine.open(StoreUrl.parse(SERVER.url(database, "")));
    }

    void sql(String... statements) {
      SERVER.sql(database, statements);
    }

    @Override
    public Engine engine() {
      return engine;
    }

    @Override
    public void createCollection(String collection) {
      sql(
          "CREATE TABLE %s (id serial PRIMARY KEY, secret bytea, other bytea, note text)"
              .formatted(PostgresTable.quoted(collection)));
    }

    @Override
    public void addRecord(String collection, byte[] secret, byte[] other, String note) {
      String table = PostgresTable.quoted(collection);
      try (Connection application = SERVER.connect(database);
          PreparedStatement insert =
              application.prepareStatement(
                  "INSERT INTO %s (secret, other, note) VALUES (?, ?, ?)".formatted(table))) {
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
      sql("CREATE VIEW %s AS SELECT * FROM %s".formatted(name, of));
      return "view " + name;
    }

    @Override
    public void close() {
      engine.close();
    }
  }
}
