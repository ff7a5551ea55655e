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

/// Fleets in which something is wrong: what is said about it, and that nothing is lost by it.
@Timeout(420)
@Execution(ExecutionMode.CONCURRENT)
class FaultyFleetTest {
  private static final int RECORDS = 600;

  @TempDir Path folder = Path.of("");

  private ProcessFleet fleet(Kind kind) {
    ProcessFleet fleet = new ProcessFleet(folder, kind.open(folder), KeySource.ENV);
    List.of(ProcessFleet.OPERATOR, "loader", "worker-1", "worker-2")
        .forEach(it -> fleet.give(it, 1, 2));
    return fleet;
  }

  private static void begin(ProcessFleet fleet, InProcessOperator overseer, int records) {
    overseer.announce(1, ProcessFleet.timings());
    fleet.report("loader", "load", "" + records);
    overseer.announce(2, ProcessFleet.timings());
  }

  @Test
  void otherBytesAndOtherProvider_areLaggardsEachForItsReason() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE);
        InProcessOperator overseer = fleet.overseer()) {
      overseer.announce(1, ProcessFleet.timings());
      overseer.announce(2, ProcessFleet.timings());
      fleet.give("forger", 1);
      fleet.give("mover", 1);
      fleet.place("mover", 2, ProcessFleet.key(2));
      fleet.server("worker-1");
      TestProcess forger = fleet.server("forger", Map.of("KEYFLEET_KEK_V2", ProcessFleet.key(3)));
      TestProcess mover =
          fleet.server(
              "mover", Map.of("KEYFLEET_PROVIDER", "env,file:" + folder.resolve("keys-mover")));
      Await.holds("v2 is proved where it can be", () -> InProcessMember.isReady(overseer, 2, 2));
      Shell.Result verdict = fleet.run(2, "kek", "verify", "--target=2");
      String line = "host=%s pid=%d loaded=[1,2] current=1 provider=env version=0.1.0 reason=%s";
      assertEquals(
          List.of(
              line.formatted(host(), forger.pid(), "other_bytes"),
              line.formatted(host(), mover.pid(), "other_provider")),
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
        InProcessOperator overseer = fleet.overseer()) {
      overseer.announce(1, ProcessFleet.timings());
      overseer.announce(2, ProcessFleet.timings());
      Shell.Result verdict = fleet.run(2, "kek", "verify", "--target=2");
      assertTrue(
          verdict.err().get(1).startsWith("No process was heard of lately."), verdict::toString);
      fleet.run(2, "kek", "rotate", "--from-version=1", "--to-version=2");
    }
  }

  @Test
  void secondProcessUnderOneName_refusesToStart() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE);
        InProcessOperator overseer = fleet.overseer()) {
      overseer.announce(1, ProcessFleet.timings());
      TestProcess first = fleet.server("worker-1");
      TestProcess second =
          fleet.start(
              "worker-1", Map.of(), ProcessFleet.command(List.of("server", "--roles=worker")));
      assertEquals(1, second.await(), second::said);
      assertTrue(second.err().getLast().startsWith("Try: "), second::said);
      assertTrue(first.isAlive());
      assertEquals(1, overseer.roster().heartbeats().size());
    }
  }

  /// One starts without the new key when the gate has passed, and a driver comes back without it:
  /// neither seals, neither moves a record. Another moves them all; the flip waits until they are
  /// gone or mended.
  @Test
  void processesWithoutTheNewKeyInMidRotation_onlyReadWhatTheyCan() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE);
        InProcessOperator overseer = fleet.overseer()) {
      begin(fleet, overseer, RECORDS);
      TestProcess driver = fleet.server("worker-1", "--rate", "50");
      Await.holds("v2 is proved", () -> InProcessMember.isReady(overseer, 2, 1));
      InProcessOperator.done(overseer.orders().rotate(v(1), v(2)));
      Await.holds("records are moved", () -> overseer.carrying().containsKey(v(2)), driver::said);
      driver.kill();
      fleet.give("late", 1);
      fleet.give("returned", 1);
      TestProcess late = fleet.clerk("late", "work", "0", "1", "" + RECORDS);
      late.awaitLine(OrderApplication.AT_WORK);
      TestProcess returned = fleet.server("returned");
      fleet.server("worker-2");
      Await.holds(
          "all records are moved",
          () -> overseer.carrying().equals(Map.of(v(2), (long) RECORDS)),
          () -> overseer.carrying() + returned.said());
      assertEquals(v(1), overseer.keystore().active(), "the flip waits for who lacks the key");
      Document report = ProcessFleet.reportOf(late);
      assertEquals(0, report.number("writes"), late::said);
      assertEquals(0, report.number("wrong_reads"), late::said);
      assertEquals(143, returned.stop(), returned::said);
      Await.holds(
          "the rotation is completed",
          () -> overseer.keystore().rotation() instanceof Completed,
          () -> overseer.keystore().rotation() + returned.said());
      String last =
          Rotation.lastJob(overseer.keystore().rotation()).map(RotationJob::driver).orElse("");
      assertTrue(last.startsWith("worker-2/"), last);
      assertFalse(returned.said().contains("driven by returned"), returned::said);
      assertEquals(Map.of(v(2), (long) RECORDS), overseer.carrying());
    }
  }

  @Test
  void corruptedRecord_isNamedAndBlocksUntilItIsMended() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE);
        InProcessOperator overseer = fleet.overseer()) {
      begin(fleet, overseer, RECORDS);
      blockedAndMended(fleet, overseer, RECORDS, 1);
    }
  }

  /// On a store that takes many writes a second.
  @Test
  void thousandPoisonedRecordsAmongTenThousand_holdNoOtherUp() {
    try (ProcessFleet fleet = fleet(Kind.POSTGRES);
        InProcessOperator overseer = fleet.overseer()) {
      begin(fleet, overseer, 10_000);
      blockedAndMended(fleet, overseer, 10_000, 1_000);
    }
  }

  private static void blockedAndMended(
      ProcessFleet fleet, InProcessOperator overseer, int all, int bad) {
    poison(overseer.records(), bad);
    TestProcess worker = fleet.server("worker-1");
    Await.holds("v2 is proved", () -> InProcessMember.isReady(overseer, 2, 1));
    fleet.run(0, "kek", "rotate", "--from-version=1", "--to-version=2");
    Await.holds(
        "the rotation is blocked",
        () -> overseer.keystore().rotation() instanceof Blocked(_, long failed) && failed == bad,
        () -> overseer.keystore().rotation() + worker.said());
    assertEquals(Map.of(v(1), (long) bad, v(2), (long) all - bad), overseer.carrying());
    Shell.Result status = fleet.run(0, "kek", "status", "-o", "json");
    Document json = Document.parse(Value.of(status.out().getFirst()));
    assertEquals("in_progress", json.text("state"));
    assertEquals("blocked", json.text("phase"));
    assertEquals(bad, json.number("failed_records"));
    Document first = json.documents("failures").getFirst();
    assertTrue(first.text("collection").endsWith(" orders"), status::toString);
    assertTrue(first.text("id").startsWith("order-"), status::toString);
    fleet.run(2, "kek", "remove", "--version=1", "--yes");
    mend(fleet, bad);
    Await.holds(
        "the rotation is completed",
        () -> overseer.keystore().rotation() instanceof Completed,
        () -> overseer.keystore().rotation() + worker.said());
    assertEquals(Map.of(v(2), (long) all), overseer.carrying());
  }

  /// Spoils the wrapped data key of the first records.
  private static void poison(Records records, int bad) {
    List<RecordChange> recordChanges = new ArrayList<>();
    for (int i = 0; i < bad; i++) {
      StoredRecord record = records.read(new RecordId(OrderApplication.id(i))).orElseThrow();
      Map<String, Bytes> spoilt = new TreeMap<>(record.fields().byName());
      spoilt.computeIfPresent("card", (_, bytes) -> spoilt(bytes));
      recordChanges.add(new RecordChange(record, SealedFields.of(spoilt)));
    }
    records.compareAndSetAll(recordChanges);
  }

  private static Bytes spoilt(Bytes envelope) {
    byte[] bytes = envelope.toArray();
    bytes[40] ^= 1; // within the wrapped data key, behind the header
    return Bytes.copyOf(bytes);
  }

  /// An application knows what the records should hold, and writes them anew.
  private static void mend(ProcessFleet fleet, int bad) {
    fleet.give("app", 1, 2);
    try (TestWiring wiring = new TestWiring(fleet.environment("app"));
        Member app = InProcessMember.joined(wiring, "app")) {
      InProcessMember.awaitSeal(app);
      for (int i = 0; i < bad; i++) {
        try (PlainFields values = OrderApplication.fields(OrderApplication.id(i), 1)) {
          assertTrue(app.records(TestWiring.ORDERS.name()).update(OrderApplication.id(i), values));
        }
      }
    }
  }
}
