package keyfleet.it.story;

import static keyfleet.it.process.InProcessOperator.v;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.it.process.Await;
import keyfleet.it.process.InProcessMember;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.OrderApplication;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.TestStores;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.it.process.TestStores.MongoDatabase;
import keyfleet.it.process.TestStores.PostgresDatabase;
import keyfleet.it.process.TestWiring;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Sweeping;
import keyfleet.member.Member;
import keyfleet.member.PlainFields;
import keyfleet.member.SealedRecords;
import keyfleet.postgres.PostgresTestServer;
import org.bson.Document;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The version that is written beside the envelopes, as the application's own queries see it. NATS
/// stores no records.
@Timeout(180)
class VersionFieldTest {
  private static final String ORDERS = TestWiring.ORDERS.name();

  @TempDir Path folder = Path.of("");

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"SQLITE", "POSTGRES", "MONGODB"})
  void insertUpdateRewrapAndSweep_writeTheVersionField(Kind kind) {
    TestStores stores = kind.open(folder);
    try (ProcessFleet fleet = new ProcessFleet(folder, stores, KeySource.ENV)) {
      fleet.giveKeys(ProcessFleet.OPERATOR, 1, 2);
      fleet.giveKeys("api-1", 1, 2);
      try (InProcessOperator operator = fleet.operator();
          TestWiring wiring = new TestWiring(fleet.environment("api-1"))) {
        operator.announce(1, ProcessFleet.timings());
        operator.createTable();
        try (Member member = InProcessMember.join(wiring, "api-1")) {
          run(stores, operator, member);
        }
      }
    }
  }

  private static void run(TestStores stores, InProcessOperator operator, Member member) {
    SealedRecords orders = member.records(ORDERS);
    for (String id : new String[] {"a", "b", "c"}) {
      Await.until("the member may seal", () -> InProcessMember.tryInsert(member, id));
    }
    assertEquals(Map.of("a", 1, "b", 1, "c", 1), readVersions(stores));
    plant(stores, "b", -1);
    Await.until("the member may seal", () -> tryUpdate(orders, "b"));
    assertEquals(Map.of("a", 1, "b", 1, "c", 1), readVersions(stores));

    plant(stores, "a", 2);
    assertEquals(1, operator.records().census().mismatched());
    operator.announce(2, ProcessFleet.timings());
    Await.until("v2 is proved", () -> InProcessMember.isReady(operator, 2, 1));
    Await.until(
        "the rotation is started",
        () -> !(operator.orders().rotate(v(1), v(2)) instanceof Refused));
    RotationLoop loop = operator.newRotationLoop("driver-1");
    tickUntil(loop, operator, Sweeping.class);
    assertEquals(Map.of("a", 2, "b", 2, "c", 2), readVersions(stores));

    // From now on only the sweep touches these records: they are under the target.
    plant(stores, "a", 1);
    plant(stores, "b", -1);
    assertEquals(2, operator.records().census().mismatched());
    tickUntil(loop, operator, Completed.class);
    assertEquals(Map.of("a", 2, "b", 2, "c", 2), readVersions(stores));
    assertEquals(0, operator.records().census().mismatched());
    try (PlainFields found = orders.find("a").orElseThrow()) {
      assertEquals(0, OrderApplication.generation("a", found));
    }
  }

  private static boolean tryUpdate(SealedRecords orders, String id) {
    try (PlainFields values = OrderApplication.fields(id, 1)) {
      return orders.update(id, values);
    }
  }

  private static void tickUntil(
      RotationLoop loop, InProcessOperator operator, Class<? extends Rotation> phase) {
    Await.until(
        "the rotation is " + phase.getSimpleName(),
        () -> {
          if (phase.isInstance(operator.keystore().rotation())) {
            return true;
          }
          loop.tick();
          return false;
        },
        () -> operator.keystore().rotation() + " " + loop.lastFailure());
  }

  /// Each id with its version, as an application reads it; -1 for none.
  private static Map<String, Integer> readVersions(TestStores stores) {
    Map<String, Integer> versions = new TreeMap<>();
    if (stores instanceof MongoDatabase(var database)) {
      for (Document order : database.collection(ORDERS).find()) {
        versions.put(order.getString("id"), order.getInteger("kek_version", -1));
      }
      return versions;
    }
    try (Connection application = connect(stores);
        Statement query = application.createStatement();
        ResultSet rows = query.executeQuery("SELECT id, coalesce(kek_version, -1) FROM orders")) {
      while (rows.next()) {
        versions.put(rows.getString(1), rows.getInt(2));
      }
      return versions;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Writes a version as a program does that knows nothing of Keyfleet; -1 for none.
  private static void plant(TestStores stores, String id, int version) {
    if (stores instanceof MongoDatabase(var database)) {
      database
          .collection(ORDERS)
          .updateOne(
              new Document("id", id),
              new Document("$set", new Document("kek_version", version < 0 ? null : version)));
      return;
    }
    try (Connection application = connect(stores);
        Statement update = application.createStatement()) {
      update.execute(
          "UPDATE orders SET kek_version = nullif(%d, -1) WHERE id = '%s'".formatted(version, id));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Connection connect(TestStores stores) throws SQLException {
    return stores instanceof PostgresDatabase(_, var name)
        ? PostgresTestServer.shared().connect(name)
        : DriverManager.getConnection("jdbc:" + stores.records());
  }
}
