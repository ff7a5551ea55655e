package keyfleet.it.story;

import static keyfleet.it.process.InProcessOperator.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.it.process.Await;
import keyfleet.it.process.InProcessMember;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.OperatorUnderTest;
import keyfleet.it.process.OrderApplication;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.store.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A writer that is stopped (SIGSTOP) for longer than any deadline of the fleet delays no rotation.
/// When it continues, it cannot store a value under the old version.
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class PausedWriterTest {
  private static final int RECORDS = 100;

  @TempDir Path folder = Path.of("");

  @ParameterizedTest
  @EnumSource(Kind.class)
  void writerPausedBetweenSealAndWrite_isFencedOrFound(Kind kind) {
    try (ProcessFleet fleet = startFleet(kind);
        InProcessOperator operator = fleet.operator()) {
      TestProcess writer = fleet.startApplication("writer", "pause-before-write");
      writer.awaitLine(OrderApplication.SEALED);
      Await.until("v2 is proved", () -> InProcessMember.isReady(operator, 2, 2));
      writer.freeze();
      rotateAndDisable(fleet, operator);
      writer.thaw();
      writer.writeLine("now");
      Document wrote = ProcessFleet.reportOf(writer);
      assertNotEquals(
          "Stored", wrote.text("change"), "the record has been rewrapped since it was read");
      if (kind.hasFences()) {
        assertEquals("Fenced", wrote.text("insert"));
        assertEquals(Map.of(v(2), (long) RECORDS), operator.recordsByVersion());
      } else {
        assertEquals("Stored", wrote.text("insert"));
        assertFound(fleet, operator);
      }
      assertInstanceOf(AuditVerdict.Intact.class, operator.verifyAudit());
    }
  }

  /// If the store has no fence, the census finds the value, and the version is not destroyed.
  private static void assertFound(ProcessFleet fleet, InProcessOperator operator) {
    assertEquals(Map.of(v(1), 1L, v(2), (long) RECORDS), operator.recordsByVersion());
    Shell.Result destroyed =
        fleet.run(2, "kek", "remove", "--version=1", "--destroy", "--horizon=1s", "--yes");
    assertTrue(
        destroyed.err().stream()
            .anyMatch(it -> it.contains("1 records of mongodb orders carry it")),
        destroyed::toString);
  }

  /// The writer may be stopped anywhere. Not on SQLite, where a stopped writer may hold the file's
  /// lock.
  @Test
  void writerPausedAtWork_continuesUnderTheNewVersion() {
    try (ProcessFleet fleet = startFleet(Kind.POSTGRES);
        InProcessOperator operator = fleet.operator()) {
      TestProcess writer = fleet.startApplication("writer", "work", "0", "1", "" + RECORDS);
      writer.awaitLine(OrderApplication.AT_WORK);
      Await.until("the writer has added records", () -> count(operator) > RECORDS);
      Await.until("v2 is proved", () -> InProcessMember.isReady(operator, 2, 2));
      writer.freeze();
      rotateAndDisable(fleet, operator);
      long before = count(operator);
      writer.thaw();
      Await.until("the writer adds more records", () -> count(operator) > before, writer::output);
      Document report = ProcessFleet.reportOf(writer);
      assertEquals(0, report.number("failed_reads"), writer::output);
      assertEquals(0, report.number("wrong_reads"), writer::output);
      assertEquals(
          Map.of(v(2), RECORDS + report.number("added")),
          operator.recordsByVersion(),
          writer::output);
    }
  }

  private static long count(InProcessOperator operator) {
    return operator.recordsByVersion().values().stream().mapToLong(it -> it).sum();
  }

  /// Starts a fleet with records under version 1, in which every process has version 2.
  private ProcessFleet startFleet(Kind kind) {
    ProcessFleet fleet = new ProcessFleet(folder, kind.open(folder), KeySource.ENV);
    List.of(ProcessFleet.OPERATOR, "loader", "writer", "worker-1")
        .forEach(it -> fleet.giveKeys(it, 1, 2));
    try (InProcessOperator operator = fleet.operator()) {
      operator.announce(1, ProcessFleet.timings());
      fleet.runApplication("loader", "load", "" + RECORDS);
      operator.announce(2, ProcessFleet.timings());
    }
    fleet.startServer("worker-1");
    return fleet;
  }

  /// Rotates from 1 to 2 and disables 1, as the commands do it.
  private static void rotateAndDisable(ProcessFleet fleet, InProcessOperator operator) {
    fleet.run(0, "kek", "rotate", "--from-version=1", "--to-version=2", "--wait", "--timeout=1m");
    OperatorUnderTest.disable(operator, v(1));
  }
}
