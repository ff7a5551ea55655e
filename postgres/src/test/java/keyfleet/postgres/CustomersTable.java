package keyfleet.postgres;

import java.sql.Connection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import keyfleet.store.CollectionShape;
import keyfleet.store.Records;
import keyfleet.store.engine.StoreUrl;

/// A new, empty application table with three sealed columns, and the [Records] of the engine on it.
final class CustomersTable implements AutoCloseable {
  static final String DATABASE = "shop";

  /// The application's role: it may write its table and knows nothing of Keyfleet.
  static final String APPLICATION_ROLE = "shop_app";

  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final PostgresTestServer SERVER = prepareServer();

  private final String table;
  private final PostgresEngine engine;
  private final Records records;

  CustomersTable() {
    this("(id text PRIMARY KEY, address text, f0 bytea, f1 bytea, f2 bytea)");
  }

  CustomersTable(String definition) {
    this(definition, CustomersTable::shape);
  }

  static CustomersTable withVersionField() {
    return new CustomersTable(
        "(id text PRIMARY KEY, address text, f0 bytea, f1 bytea, f2 bytea, kek_version integer)",
        it -> shape(it).withVersionField("kek_version"));
  }

  private CustomersTable(String definition, Function<String, CollectionShape> shape) {
    this.table = "customers" + COUNT.incrementAndGet();
    SERVER.execute(
        DATABASE,
        "CREATE TABLE " + table + definition,
        "GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON " + table + " TO " + APPLICATION_ROLE);
    this.engine = PostgresEngine.open(StoreUrl.parse(SERVER.url(DATABASE, "")));
    this.records = engine.records(shape.apply(table));
  }

  private static PostgresTestServer prepareServer() {
    PostgresTestServer server = PostgresTestServer.shared();
    server.execute(
        "postgres", "CREATE ROLE " + APPLICATION_ROLE + " LOGIN", "CREATE DATABASE " + DATABASE);
    return server;
  }

  static CollectionShape shape(String table) {
    return new CollectionShape(table, "id", new TreeSet<>(Set.of("f0", "f1", "f2")));
  }

  String table() {
    return table;
  }

  Records records() {
    return records;
  }

  PostgresEngine engine() {
    return engine;
  }

  PostgresTestServer server() {
    return SERVER;
  }

  /// A session with the application's role.
  Connection connectAsApplication() {
    return SERVER.connect(DATABASE, APPLICATION_ROLE);
  }

  @Override
  public void close() {
    engine.close();
  }
}
