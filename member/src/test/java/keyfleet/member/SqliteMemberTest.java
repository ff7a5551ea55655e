package keyfleet.member;

import static keyfleet.member.MemberFixtures.ORDERS;
import static keyfleet.member.MemberFixtures.RANDOM;
import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.member.MemberException.NameTaken;
import keyfleet.member.MemberException.NotRegistered;
import keyfleet.member.MemberException.StoreUnavailable;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.document.RosterStore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.sqlite.SqliteEngine;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The five lines of the package description on a real engine, with real threads and the machine's
/// clock.
class SqliteMemberTest {
  private static final CollectionShape VERSIONED = ORDERS.withVersionField("kek_version");

  @TempDir Path folder;
  private final TestKeyProvider provider = TestFleet.ofVersion1().keysOf(1);

  private Engine open() {
    return SqliteEngine.open(StoreUrl.parse("sqlite:" + folder.resolve("fleet.db")));
  }

  @BeforeEach
  void bootstrap() throws SQLException {
    try (Engine engine = open()) {
      LoadedKeys keys = new LoadedKeys(KeyringName.MAIN, List.of(provider), RANDOM);
      keys.refresh();
      Sentinel sentinel = Sentinel.create(keys.cipher(), v(1), RANDOM).orElseThrow();
      Keystore first =
          Keystore.bootstrap(
              new Keystore.Identity("id", 1, Keystore.Use.RECORDS),
              new VersionEntry(TestFleet.PROVIDER, sentinel, VersionState.ANNOUNCED),
              Timings.DEFAULT);
      new KeystoreStore(engine.kv(), KeyringName.MAIN, () -> "n").create(first);
    }
    String file = "jdbc:sqlite:" + folder.resolve("fleet.db");
    try (Connection connection = DriverManager.getConnection(file);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE orders (id TEXT PRIMARY KEY, card BLOB, name BLOB)");
    }
  }

  @Test
  void fiveLines_joinSealAndOpen() {
    Engine engine = open();
    KeyringName keyring = KeyringName.MAIN;
    try (Member member =
        Member.builder(engine.kv(), keyring)
            .provider(provider)
            .collection("sqlite", engine, ORDERS)
            .instance("api-1")
            .join()) {
      FieldCipher card = member.cipher("orders", "card");
      SealedValue sealed = card.seal("o-1", "4111");
      assertEquals("4111", card.open("o-1", sealed).text());
      SealedRecords orders = member.records("orders");
      assertTrue(orders.insert("o-1", PlainFields.ofTexts(Map.of("card", "4111", "name", "Ada"))));
      assertTrue(orders.update("o-1", PlainFields.ofTexts(Map.of("card", "5500"))));
      assertEquals("Ada", orders.find("o-1").orElseThrow().text("name"));
      assertThrows(
          NameTaken.class,
          () -> Member.builder(engine.kv(), keyring).provider(provider).instance("api-1").join());
    }
    assertEquals(
        List.of(), new RosterStore(engine.kv(), keyring).read(Timings.DEFAULT).heartbeats());
    engine.close();
  }

  @Test
  void collectionThatDoesNotExist_isNotRegistered() {
    Engine engine = open();
    CollectionShape missing = new CollectionShape("oders", "id", new TreeSet<>(Set.of("card")));
    MemberBuilder joining =
        Member.builder(engine.kv(), KeyringName.MAIN)
            .provider(provider)
            .instance("api-1")
            .collection("sqlite", engine, missing);
    assertThrows(StoreUnavailable.class, joining::join);
    assertEquals(
        List.of(), new CollectionRegistry(engine.kv(), () -> "n").registrations(KeyringName.MAIN));
    engine.close();
  }

  /// Processes of a fleet get the new setting one after the other.
  @Test
  void versionFieldOfARegisteredCollection_isTakenByAllWhoJoinLater() throws SQLException {
    try (Engine engine = open()) {
      join(engine, "api-1", ORDERS).close();
      MemberBuilder noColumn = builder(engine, "api-2").collection("sqlite", engine, VERSIONED);
      StoreUnavailable missing = assertThrows(StoreUnavailable.class, noColumn::join);
      assertEquals("table orders has no column kek_version", missing.getMessage());
      assertEquals("ALTER TABLE \"orders\" ADD COLUMN \"kek_version\" INTEGER", missing.remedy());
      sql(missing.remedy());
      join(engine, "api-2", VERSIONED).close();
      try (Member member = join(engine, "api-3", ORDERS)) {
        assertTrue(
            member
                .records("orders")
                .insert("o-1", PlainFields.ofTexts(Map.of("card", "4111", "name", "Ada"))));
      }
      assertEquals("1", query("SELECT kek_version FROM orders WHERE id = 'o-1'"));
      MemberBuilder other =
          builder(engine, "api-4").collection("sqlite", engine, ORDERS.withVersionField("other"));
      sql("ALTER TABLE orders ADD COLUMN other INTEGER");
      NotRegistered refused = assertThrows(NotRegistered.class, other::join);
      assertTrue(refused.getMessage().contains("version field kek_version"), refused.getMessage());
    }
  }

  private MemberBuilder builder(Engine engine, String instance) {
    return Member.builder(engine.kv(), KeyringName.MAIN).provider(provider).instance(instance);
  }

  private Member join(Engine engine, String instance, CollectionShape shape) {
    return builder(engine, instance).collection("sqlite", engine, shape).join();
  }

  private void sql(String statement) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fleet.db"));
        Statement run = connection.createStatement()) {
      run.execute(statement);
    }
  }

  private String query(String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fleet.db"));
        Statement run = connection.createStatement();
        ResultSet found = run.executeQuery(sql)) {
      return found.next() ? String.valueOf(found.getString(1)) : "nothing";
    }
  }
}
