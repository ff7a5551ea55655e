package keyfleet.it.story;

import static keyfleet.it.process.InProcessOperator.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.OrderApplication;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.StoreBackup;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestProcess.JavaProgram;
import keyfleet.it.process.TestStores;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.store.Document;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Backups and restores as docs/how-to/backup-and-restore.md and docs/how-to/safe-hold.md say, with
/// real processes on real databases.
@Timeout(420)
class RestoredStoreTest {
  private static final int RECORDS = 200;
  private static final String WORKER = "worker-1";
  private static final String SECOND = "worker-2";
  private static final String APPLICATION = "app-1";

  @TempDir Path folder = Path.of("");

  private ProcessFleet openFleet(TestStores stores) {
    ProcessFleet fleet = new ProcessFleet(folder, stores, KeySource.ENV);
    for (String name : List.of(ProcessFleet.OPERATOR, WORKER, SECOND, APPLICATION, "checker")) {
      fleet.giveKeys(name, 1, 2, 3, 4);
    }
    Shell.Result announced = fleet.run(ProcessFleet.TIMINGS, "kek", "announce", "--version=1");
    assertEquals(0, announced.exit(), announced::toString);
    assertEquals(
        RECORDS, fleet.runApplication(APPLICATION, "load", "" + RECORDS).number("inserted"));
    return fleet;
  }

  private static void rotate(ProcessFleet fleet, int from, int to) {
    fleet.run(0, "kek", "verify", "--target=" + to, "--wait", "--timeout=60s");
    fleet.run(
        0,
        "kek",
        "rotate",
        "--from-version=" + from,
        "--to-version=" + to,
        "--wait",
        "--timeout=2m");
  }

  private static Document check(ProcessFleet fleet, Map<String, String> stores) {
    return ProcessFleet.reportOf(
        fleet.start("checker", stores, new JavaProgram(OrderApplication.class.getName(), "check")));
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void backupUnderLoad_restoredElsewhere_opensAndVerifies(Kind kind) {
    TestStores stores = kind.open(folder);
    try (ProcessFleet fleet = openFleet(stores)) {
      TestProcess worker = fleet.startServer(WORKER);
      TestProcess application = fleet.startApplication(APPLICATION, "work", "0", "1", "" + RECORDS);
      application.awaitLine(OrderApplication.AT_WORK);
      fleet.run(0, "kek", "announce", "--version=2");
      fleet.run(0, "kek", "verify", "--target=2", "--wait", "--timeout=60s");
      fleet.run(0, "kek", "rotate", "--from-version=1", "--to-version=2");
      StoreBackup backup = StoreBackup.of(fleet, stores.store());
      Path file = folder.resolve("under-load.backup");
      backup.make(file); // while the rotation and the application write
      Document work = ProcessFleet.reportOf(application);
      assertTrue(work.number("writes") > 0, application::output);
      assertEquals(143, worker.stop(), worker::output);
      String restored = backup.restoreElsewhere(file);
      Map<String, String> elsewhere =
          Map.of("KEYFLEET_STORE", restored, "KEYFLEET_RECORDS", restored);
      Document all = check(fleet, elsewhere);
      assertEquals(0, all.number("wrong"), "records that do not open");
      assertTrue(all.number("opened") >= RECORDS, all.toString());
      Map<String, String> environment = new HashMap<>(fleet.environment(ProcessFleet.OPERATOR));
      environment.putAll(elsewhere);
      try (InProcessOperator operator = new InProcessOperator(environment, Failpoints.NONE)) {
        assertInstanceOf(AuditVerdict.Intact.class, operator.verifyAudit());
      }
      Shell.Result held = fleet.run(elsewhere, "kek", "hold", "show");
      assertEquals(0, held.exit(), held::toString);
      TestProcess second = fleet.startServer(SECOND, elsewhere);
      Shell.Result finished =
          fleet.run(
              elsewhere,
              "kek",
              "rotate",
              "--from-version=1",
              "--to-version=2",
              "--wait",
              "--timeout=2m");
      assertEquals(0, finished.exit(), () -> finished + second.output());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SQLITE, --adopt-fence",
    "SQLITE, --accept-keystore",
    "POSTGRES, --adopt-fence",
    "POSTGRES, --accept-keystore"
  })
  void olderCoordinationStore_isHeld_untilAnOperatorResolvesIt(Kind kind, String resolution) {
    TestStores stores = kind.openSeparate(folder);
    try (ProcessFleet fleet = openFleet(stores)) {
      StoreBackup backup = StoreBackup.of(fleet, stores.store());
      Path file = folder.resolve("older.backup");
      backup.make(file);
      fleet.run(0, "kek", "announce", "--version=2");
      TestProcess worker = fleet.startServer(WORKER);
      rotate(fleet, 1, 2);
      assertEquals(143, worker.stop(), worker::output);
      backup.restore(file);
      checkHold(fleet);
      fleet.run(0, "kek", "hold", "resolve", resolution, "--yes");
      if (resolution.equals("--adopt-fence")) {
        checkAdopted(fleet);
      } else {
        checkAccepted(fleet);
      }
    }
  }

  /// The keystore is ahead of the restored fence, so there is no hold; the next rotation fences and
  /// moves the records that came back.
  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void olderRecords_areMovedByTheNextRotation(Kind kind) {
    TestStores stores = kind.openSeparate(folder);
    try (ProcessFleet fleet = openFleet(stores)) {
      StoreBackup backup = StoreBackup.of(fleet, stores.records());
      Path file = folder.resolve("older.backup");
      TestProcess worker = fleet.startServer(WORKER);
      fleet.run(0, "kek", "announce", "--version=2");
      rotate(fleet, 1, 2);
      backup.make(file); // with the fence of the first rotation
      fleet.run(0, "kek", "announce", "--version=3");
      rotate(fleet, 2, 3);
      assertEquals(143, worker.stop(), worker::output);
      backup.restore(file);
      fleet.run(0, "kek", "hold", "show");
      assertEquals(RECORDS, check(fleet, Map.of()).number("v2"), "records of the backup");
      TestProcess second = fleet.startServer(SECOND);
      fleet.run(0, "kek", "announce", "--version=4");
      rotate(fleet, 3, 4);
      assertEquals(RECORDS, check(fleet, Map.of()).number("v4"), "records of the next rotation");
      assertEquals(143, second.stop(), second::output);
    }
  }

  private static void checkHold(ProcessFleet fleet) {
    TestProcess worker = fleet.startServer(WORKER);
    worker.awaitLine("safe hold: ");
    worker.awaitLine("Try: keyfleet kek hold show");
    String hold = "was fenced in epoch 2, but the keystore is in epoch 1";
    for (String command : List.of("kek verify --target=1", "kek hold show")) {
      Shell.Result result = fleet.run(2, command.split(" "));
      assertTrue(result.err().toString().contains(hold), () -> command + ": " + result);
    }
    Shell.Result doctor = fleet.run(2, "doctor");
    assertTrue(doctor.out().toString().contains(hold), doctor::toString);
    fleet.run(2, "kek", "announce", "--version=2");
    Document all = check(fleet, Map.of());
    assertEquals(RECORDS, all.number("opened"), "values can be opened in a hold");
    fleet.run(0, "audit", "verify");
    assertEquals(143, worker.stop(), worker::output);
  }

  /// The rotation that the backup does not know counts: v2 is active, and the next one goes on from
  /// there.
  private static void checkAdopted(ProcessFleet fleet) {
    try (InProcessOperator operator = fleet.operator()) {
      assertEquals(v(2), operator.keystore().active());
      assertEquals(3, operator.keystore().epoch());
      checkFleetWorks(fleet, 2, 3);
      assertEquals(v(3), operator.keystore().active());
    }
  }

  /// The restored keystore counts: v2 is unknown until it is announced again.
  private static void checkAccepted(ProcessFleet fleet) {
    try (InProcessOperator operator = fleet.operator()) {
      assertEquals(v(1), operator.keystore().active());
      assertEquals(3, operator.keystore().epoch());
      Shell.Result inventory = fleet.run(2, "kek", "inventory");
      assertTrue(inventory.toString().contains("v2"), inventory::toString);
      fleet.run(0, "kek", "announce", "--version=2");
      checkFleetWorks(fleet, 1, 2);
      assertEquals(v(2), operator.keystore().active());
    }
  }

  private static void checkFleetWorks(ProcessFleet fleet, int from, int to) {
    fleet.run(0, "kek", "hold", "show");
    TestProcess worker = fleet.startServer(WORKER);
    TestProcess application = fleet.startApplication(APPLICATION, "work", "0", "1", "" + RECORDS);
    application.awaitLine(OrderApplication.AT_WORK);
    if (to > 2) {
      fleet.run(0, "kek", "announce", "--version=" + to);
    }
    rotate(fleet, from, to);
    Document work = ProcessFleet.reportOf(application);
    assertTrue(work.number("writes") > 0, application::output);
    assertEquals(0, work.number("failed_reads") + work.number("wrong_reads"), application::output);
    Document all = check(fleet, Map.of());
    assertEquals(0, all.number("wrong"), "records that do not open");
    assertEquals(all.number("opened"), all.number("v" + to), "records under another version");
    fleet.run(0, "audit", "verify");
    assertEquals(143, worker.stop(), worker::output);
  }
}
