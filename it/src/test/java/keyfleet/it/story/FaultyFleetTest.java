package keyfleet.it.story;

import static keyfleet.it.process.InProcessOperator.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import keyfleet.it.process.Await;
import keyfleet.it.process.InProcessMember;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.OrderApplication;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.it.process.TestWiring;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.RotationJob;
import keyfleet.member.LocalProcess;
import keyfleet.member.Member;
import keyfleet.member.PlainFields;
import keyfleet.store.Bytes;
import keyfleet.store.Document;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Fleets with faults: the right message is printed, and no record is lost.
@Timeout(420)
@Execution(ExecutionMode.CONCURRENT)
class FaultyFleetTest {
  private static final int RECORDS = 600;

  @TempDir Path folder = Path.of("");

  private ProcessFleet fleet(Kind kind) {
    ProcessFleet fleet = new ProcessFleet(folder, kind.open(folder), KeySource.ENV);
    List.of(ProcessFleet.OPERATOR, "loader", "worker-1", "worker-2")
        .forEach(it -> fleet.giveKeys(it, 1, 2));
    return fleet;
  }

  private static void loadRecords(ProcessFleet fleet, InProcessOperator operator, int records) {
    operator.announce(1, ProcessFleet.timings());
    fleet.runApplication("loader", "load", "" + records);
    operator.announce(2, ProcessFleet.timings());
  }

  @Test
  void otherBytesAndOtherProvider_areLaggardsWithTheirReasons() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE);
        InProcessOperator operator = fleet.operator()) {
      operator.announce(1, ProcessFleet.timings());
      operator.announce(2, ProcessFleet.timings());
      fleet.giveKeys("forger", 1);
      fleet.giveKeys("mover", 1);
      fleet.writeKeyFile("mover", 2, ProcessFleet.key(2));
      fleet.startServer("worker-1");
      TestProcess forger =
          fleet.startServer("forger", Map.of("KEYFLEET_KEK_V2", ProcessFleet.key(3)));
      TestProcess mover =
          fleet.startServer(
              "mover", Map.of("KEYFLEET_PROVIDER", "env,file:" + folder.resolve("keys-mover")));
      Await.until("two processes prove v2", () -> InProcessMember.isReady(operator, 2, 2));
      Shell.Result verdict = fleet.run(2, "kek", "verify", "--target=2");
      String line =
          "host=%s pid=%d loaded=[1,2] current=1 provider=env version=0.1.0 reason=%s instance=%s";
      assertEquals(
          List.of(
              line.formatted(host(), forger.pid(), "other_bytes", "forger"),
              line.formatted(host(), mover.pid(), "other_provider", "mover")),
          verdict.err().stream().filter(it -> it.startsWith("host=")).toList());
      fleet.run(2, "kek", "rotate", "--from-version=1", "--to-version=2");
    }
  }

  private static String host() {
    return LocalProcess.current().host();
  }

  @Test
  void emptyRoster_isNeverReady() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE);
        InProcessOperator operator = fleet.operator()) {
      operator.announce(1, ProcessFleet.timings());
      operator.announce(2, ProcessFleet.timings());
      Shell.Result verdict = fleet.run(2, "kek", "verify", "--target=2");
      assertTrue(
          verdict.err().get(1).startsWith("No process has sent a heartbeat recently."),
          verdict::toString);
      fleet.run(2, "kek", "rotate", "--from-version=1", "--to-version=2");
    }
  }

  @Test
  void secondProcessUnderOneName_refusesToStart() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE);
        InProcessOperator operator = fleet.operator()) {
      operator.announce(1, ProcessFleet.timings());
      TestProcess first = fleet.startServer("worker-1");
      TestProcess second =
          fleet.start(
              "worker-1", Map.of(), ProcessFleet.command(List.of("server", "--roles=worker")));
      assertEquals(1, second.await(), second::output);
      assertTrue(second.err().getLast().startsWith("Try: "), second::output);
      assertTrue(first.isAlive());
      assertEquals(1, operator.roster().heartbeats().size());
    }
  }

  /// After the gate one process starts without the new key, and a driver restarts without it:
  /// neither seals, and neither rewraps a record. Another driver rewraps all records; the flip
  /// waits until both processes are stopped or repaired.
  @Test
  void processesWithoutTheNewKeyInMidRotation_onlyReadWhatTheyCan() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE);
        InProcessOperator operator = fleet.operator()) {
      loadRecords(fleet, operator, RECORDS);
      TestProcess driver = fleet.startServer("worker-1", "--rate", "50");
      Await.until("v2 is proved", () -> InProcessMember.isReady(operator, 2, 1));
      InProcessOperator.requireDone(operator.orders().rotate(v(1), v(2)));
      Await.until(
          "records are rewrapped",
          () -> operator.recordsByVersion().containsKey(v(2)),
          driver::output);
      driver.kill();
      fleet.giveKeys("late", 1);
      fleet.giveKeys("returned", 1);
      TestProcess late = fleet.startApplication("late", "work", "0", "1", "" + RECORDS);
      late.awaitLine(OrderApplication.AT_WORK);
      TestProcess returned = fleet.startServer("returned");
      fleet.startServer("worker-2");
      Await.until(
          "all records are rewrapped",
          () -> operator.recordsByVersion().equals(Map.of(v(2), (long) RECORDS)),
          () -> operator.recordsByVersion() + returned.output());
      assertEquals(
          v(1), operator.keystore().active(), "the flip waits for the processes without the key");
      Document report = ProcessFleet.reportOf(late);
      assertEquals(0, report.number("writes"), late::output);
      assertEquals(0, report.number("wrong_reads"), late::output);
      assertEquals(143, returned.stop(), returned::output);
      Await.until(
          "the rotation is completed",
          () -> operator.keystore().rotation() instanceof Completed,
          () -> operator.keystore().rotation() + returned.output());
      String last =
          Rotation.lastJob(operator.keystore().rotation()).map(RotationJob::driver).orElse("");
      assertTrue(last.startsWith("worker-2/"), last);
      assertFalse(returned.output().contains("driven by returned"), returned::output);
      assertEquals(Map.of(v(2), (long) RECORDS), operator.recordsByVersion());
    }
  }

  @Test
  void corruptedRecord_isNamedAndBlocksUntilRepaired() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE);
        InProcessOperator operator = fleet.operator()) {
      loadRecords(fleet, operator, RECORDS);
      assertBlocksUntilRepaired(fleet, operator, RECORDS, 1);
    }
  }

  /// Runs on a store that takes many writes per second.
  @Test
  void thousandCorruptedRecordsAmongTenThousand_delayNoOther() {
    try (ProcessFleet fleet = fleet(Kind.POSTGRES);
        InProcessOperator operator = fleet.operator()) {
      loadRecords(fleet, operator, 10_000);
      assertBlocksUntilRepaired(fleet, operator, 10_000, 1_000);
    }
  }

  private static void assertBlocksUntilRepaired(
      ProcessFleet fleet, InProcessOperator operator, int all, int bad) {
    corrupt(operator.records(), bad);
    TestProcess worker = fleet.startServer("worker-1");
    Await.until("v2 is proved", () -> InProcessMember.isReady(operator, 2, 1));
    fleet.run(0, "kek", "rotate", "--from-version=1", "--to-version=2");
    Await.until(
        "the rotation is blocked",
        () -> operator.keystore().rotation() instanceof Blocked(_, long failed) && failed == bad,
        () -> operator.keystore().rotation() + worker.output());
    assertEquals(Map.of(v(1), (long) bad, v(2), (long) all - bad), operator.recordsByVersion());
    Shell.Result status = fleet.run(0, "kek", "status", "-o", "json");
    Document json = Document.parse(Value.of(status.out().getFirst()));
    assertEquals("in_progress", json.text("state"));
    assertEquals("blocked", json.text("phase"));
    assertEquals(bad, json.number("failed_records"));
    Document first = json.documents("failures").getFirst();
    assertTrue(first.text("collection").endsWith(" orders"), status::toString);
    assertTrue(first.text("id").startsWith("order-"), status::toString);
    fleet.run(2, "kek", "remove", "--version=1", "--yes");
    repair(fleet, bad);
    Await.until(
        "the rotation is completed",
        () -> operator.keystore().rotation() instanceof Completed,
        () -> operator.keystore().rotation() + worker.output());
    assertEquals(Map.of(v(2), (long) all), operator.recordsByVersion());
  }

  /// Corrupts the wrapped data key of the first records.
  private static void corrupt(Records records, int bad) {
    List<RecordChange> changes = new ArrayList<>();
    for (int i = 0; i < bad; i++) {
      StoredRecord record = records.read(new RecordId(OrderApplication.id(i))).orElseThrow();
      Map<String, Bytes> corrupted = new TreeMap<>(record.fields().byName());
      corrupted.computeIfPresent("card", (_, bytes) -> corrupted(bytes));
      changes.add(new RecordChange(record, SealedFields.of(corrupted)));
    }
    records.compareAndSetAll(changes);
  }

  private static Bytes corrupted(Bytes envelope) {
    byte[] bytes = envelope.toArray();
    bytes[40] ^= 1; // within the wrapped data key, after the header
    return Bytes.copyOf(bytes);
  }

  /// An application knows the right content of the records and writes them again.
  private static void repair(ProcessFleet fleet, int bad) {
    fleet.giveKeys("app", 1, 2);
    try (TestWiring wiring = new TestWiring(fleet.environment("app"));
        Member app = InProcessMember.join(wiring, "app")) {
      InProcessMember.awaitSealing(app);
      for (int i = 0; i < bad; i++) {
        try (PlainFields values = OrderApplication.fields(OrderApplication.id(i), 1)) {
          assertTrue(app.records(TestWiring.ORDERS.name()).update(OrderApplication.id(i), values));
        }
      }
    }
  }
}
