package keyfleet.postgres;

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
    return "'\\x" + HexFormat.of().formatHex(sealed(version).toArray()) + "'";
  }

  @Test
  void partitions_countAsTheirTable() {
    try (PostgresEnvelopeScannerFixture fixture = new PostgresEnvelopeScannerFixture()) {
      fixture.sql(
          "CREATE TABLE events (id bigint, day int, secret bytea, other bytea)"
              + " PARTITION BY RANGE (day)",
          "CREATE TABLE events1 PARTITION OF events FOR VALUES FROM (0) TO (10)",
          "CREATE TABLE events2 PARTITION OF events FOR VALUES FROM (10) TO (20)",
          "INSERT INTO events VALUES (1, 1, %s, %s)".formatted(envelope(1), envelope(2)),
          "INSERT INTO events VALUES (2, 11, %s, NULL)".formatted(envelope(1)));
      assertEquals(
          Set.of(bytes("events", "secret", 1, 2), bytes("events", "other", 2, 1)),
          Set.copyOf(fixture.engine.scanForEnvelopes(Scope.whole(Set.of())).undeclared()));
      CollectionShape shape = new CollectionShape("events", "id", new TreeSet<>(Set.of("secret")));
      assertEquals(
          List.of(bytes("events", "other", 2, 1)),
          fixture.engine.scanForEnvelopes(Scope.whole(Set.of(shape))).undeclared());
    }
  }

  @Test
  void otherSchemas_areNamedInTheResult() {
    try (PostgresEnvelopeScannerFixture fixture = new PostgresEnvelopeScannerFixture()) {
      fixture.sql(
          "CREATE SCHEMA shop",
          "CREATE TABLE shop.customers (id text, secret bytea)",
          "CREATE TABLE customers (id text, secret bytea)",
          "INSERT INTO shop.customers VALUES ('a', %s)".formatted(envelope(1)),
          "INSERT INTO customers VALUES ('a', %s)".formatted(envelope(1)));
      CollectionShape shape =
          new CollectionShape("customers", "id", new TreeSet<>(Set.of("secret")));
      assertEquals(
          List.of(bytes("shop.customers", "secret", 1, 1)),
          fixture.engine.scanForEnvelopes(Scope.whole(Set.of(shape))).undeclared());
    }
  }

  @Test
  void derivedTypes_areScannedOrReported() {
    try (PostgresEnvelopeScannerFixture fixture = new PostgresEnvelopeScannerFixture()) {
      fixture.sql(
          "CREATE DOMAIN sealed AS bytea",
          "CREATE TABLE t (a sealed, b varchar(500), c jsonb, d bytea[], e int[], f uuid,"
              + " g bytea GENERATED ALWAYS AS (a) STORED)",
          "INSERT INTO t (a) VALUES (%s)".formatted(envelope(1)));
      EnvelopeScan scan = fixture.engine.scanForEnvelopes(Scope.whole(Set.of()));
      assertEquals(List.of(bytes("t", "a", 1, 1)), scan.undeclared());
      assertEquals(
          List.of(
              new SkippedPart("column c of t", "values inside jsonb are not scanned", Cause.RULE),
              new SkippedPart(
                  "column d of t", "values inside bytea[] are not scanned", Cause.RULE)),
          scan.notScanned().stream().filter(it -> it.what().startsWith("column")).toList());
    }
  }

  @Test
  void unreadableTable_isReportedAndTheOthersAreScanned() {
    try (PostgresEnvelopeScannerFixture fixture = new PostgresEnvelopeScannerFixture()) {
      fixture.createCollection("closed");
      fixture.createCollection("open");
      fixture.addRecord("open", sealed(1).toArray(), new byte[0], "");
      fixture.sql(
          "CREATE ROLE %s LOGIN".formatted(fixture.database),
          "GRANT CREATE ON DATABASE %1$s TO %1$s".formatted(fixture.database),
          "GRANT SELECT ON open TO " + fixture.database);
      String url =
          PostgresEnvelopeScannerFixture.SERVER
              .url(fixture.database, "schema=kf")
              .replace(PostgresTestServer.ADMIN, fixture.database);
      try (Engine engine = PostgresEngine.open(StoreUrl.parse(url))) {
        EnvelopeScan scan = engine.scanForEnvelopes(Scope.whole(Set.of()));
        assertEquals(List.of(bytes("open", "secret", 1, 1)), scan.undeclared());
        SkippedPart skippedPart =
            scan.notScanned().stream()
                .filter(it -> it.cause() == Cause.TROUBLE)
                .filter(it -> it.what().equals("table closed"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(scan.notScanned()));
        assertTrue(skippedPart.reason().contains("permission denied"), skippedPart::reason);
      }
    }
  }

  private static final class PostgresEnvelopeScannerFixture implements EnvelopeScannerFixture {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final PostgresTestServer SERVER = PostgresTestServer.shared();

    private final String database = "scan" + COUNT.incrementAndGet();
    private final PostgresEngine engine;

    PostgresEnvelopeScannerFixture() {
      SERVER.execute("postgres", "CREATE DATABASE " + database);
      engine = PostgresEngine.open(StoreUrl.parse(SERVER.url(database, "")));
    }

    void sql(String... statements) {
      SERVER.execute(database, statements);
    }

    @Override
    public Engine engine() {
      return engine;
    }

    @Override
    public void createCollection(String collection) {
      sql(
          "CREATE TABLE %s (id serial PRIMARY KEY, secret bytea, other bytea, note text)"
              .formatted(PostgresTable.quote(collection)));
    }

    @Override
    public void addRecord(String collection, byte[] secret, byte[] other, String note) {
      String table = PostgresTable.quote(collection);
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
