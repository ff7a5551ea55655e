package keyfleet.it.story;

import static keyfleet.it.process.InProcessOperator.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import keyfleet.control.Failpoint;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.crypto.KekVersion;
import keyfleet.it.process.Await;
import keyfleet.it.process.HaltPoint;
import keyfleet.it.process.HaltPoint.Side;
import keyfleet.it.process.InProcessMember;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.OperatorUnderTest;
import keyfleet.it.process.OrderApplication;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.ServerUnderTest;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestProcess.JavaProgram;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.it.process.TestWiring;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionState;
import keyfleet.member.Member;
import keyfleet.member.PlainFields;
import keyfleet.store.RecordId;
import keyfleet.store.StoredRecord;

/// A fleet that runs one rotation after another. In each rotation one process is killed, and the
/// same successor completes the rotation.
final class FailoverFleet implements AutoCloseable {
  private static final int RECORDS = 300;

  /// The most rotations of one fleet; every process has the keys for all of them.
  private static final int ROTATIONS = 30;

  private static final Integer[] KEYS =
      IntStream.rangeClosed(1, ROTATIONS + 1).boxed().toArray(Integer[]::new);

  private static final Timings TIMINGS =
      new Timings(
          Duration.ofMillis(300),
          Duration.ofMillis(1500),
          Duration.ofMillis(2000),
          Duration.ofMillis(3000),
          Duration.ofMillis(800));

  /// The failpoints that only an operator's process reaches.
  private static final Set<Failpoint> OPERATOR_POINTS =
      EnumSet.of(
          Failpoint.PROGRESS_READ,
          Failpoint.RATE_WRITE,
          Failpoint.REMOVAL_READ,
          Failpoint.REMOVAL_WRITE,
          Failpoint.AUDIT_LIST,
          Failpoint.AUDIT_TIME,
          Failpoint.AUDIT_TIE_WRITE,
          Failpoint.AUDIT_TIE_LIST);

  /// A process reads the driver's heartbeat only when another driver has already worked.
  private static final HaltPoint FIRST_WRITE = new HaltPoint(Failpoint.RECORD_WRITE, Side.AFTER, 1);

  private final ProcessFleet fleet;
  private final InProcessOperator operator;
  private final TestWiring wiring;
  private final Member app;
  private final TestProcess successor;
  private int active = 1;

  FailoverFleet(Path folder, Kind kind) {
    fleet = new ProcessFleet(folder, kind.open(folder), KeySource.ENV);
    List.of(ProcessFleet.OPERATOR, "app").forEach(it -> fleet.giveKeys(it, KEYS));
    operator = fleet.operator();
    wiring = new TestWiring(fleet.environment("app"));
    operator.announce(1, TIMINGS);
    operator.createTable();
    app = InProcessMember.join(wiring, "app");
    for (int i = 0; i < RECORDS; i++) {
      String id = OrderApplication.id(i);
      Await.until(id + " is stored", () -> InProcessMember.tryInsert(app, id));
    }
    successor = server("successor", List.of());
  }

  boolean hasMoreRotations() {
    return active <= ROTATIONS;
  }

  /// Runs one rotation in which one process is killed.
  void rotateWithKill(HaltPoint halt) {
    operator.announce(active + 1, TIMINGS);
    Await.until(
        "the new version is proved", () -> InProcessMember.isReady(operator, active + 1, 1));
    if (OPERATOR_POINTS.contains(halt.point())) {
      killOperator(halt);
    } else {
      killDriver(halt);
    }
    checkFinalState();
    successor.writeLine(ServerUnderTest.STOP);
    // The killed processes would be laggards of the next rotation.
    Await.until("only the app sends heartbeats", () -> freshProcesses() == 1, successor::output);
    active++;
  }

  private int freshProcesses() {
    return operator.roster().fresh(TIMINGS.fresh()).size();
  }

  /// The rotation is started before any driver runs, so that the victim does all its work in the
  /// rotation.
  private void killDriver(HaltPoint halt) {
    TestProcess victim = server("victim-" + active, halt.options());
    Await.until(
        "the rotation is started", () -> isAccepted(operator.orders().rotate(from(), to())));
    if (halt.point() == Failpoint.ROTATION_DRIVER_READ) {
      startUntilKilled(server("first-" + active, FIRST_WRITE.options()), FIRST_WRITE);
    }
    startUntilKilled(victim, halt);
    successor.writeLine(ServerUnderTest.START);
    awaitCompletion();
    OperatorUnderTest.disable(operator, from());
  }

  /// On a busy machine the only process may not be fresh for a moment.
  private static boolean isAccepted(KeyringOperations.Result result) {
    return !(result instanceof KeyringOperations.Refused);
  }

  private static void startUntilKilled(TestProcess victim, HaltPoint halt) {
    victim.writeLine(ServerUnderTest.START);
    assertEquals(
        HaltPoint.EXIT, victim.await(), () -> halt + " was never reached" + victim.output());
  }

  private void killOperator(HaltPoint halt) {
    successor.writeLine(ServerUnderTest.START);
    TestProcess victim = operator(halt.options());
    assertEquals(
        HaltPoint.EXIT, victim.await(), () -> halt + " was never reached" + victim.output());
    TestProcess next = operator(List.of());
    assertEquals(0, next.await(), next::output);
    awaitCompletion();
  }

  private TestProcess operator(List<String> options) {
    List<String> versions = List.of("" + active, "" + (active + 1));
    return fleet.start(
        ProcessFleet.OPERATOR,
        Map.of(),
        new JavaProgram(options, OperatorUnderTest.class.getName(), versions));
  }

  private TestProcess server(String name, List<String> options) {
    fleet.giveKeys(name, KEYS);
    TestProcess server =
        fleet.start(
            name, Map.of(), new JavaProgram(options, ServerUnderTest.class.getName(), List.of()));
    server.awaitLine(ServerUnderTest.READY);
    return server;
  }

  private void awaitCompletion() {
    Await.until(
        "the rotation is completed",
        () -> operator.keystore().rotation() instanceof Completed(var job) && job.to().equals(to()),
        () -> operator.keystore().rotation() + successor.output());
  }

  private void checkFinalState() {
    assertEquals(Map.of(to(), (long) RECORDS), operator.recordsByVersion());
    int right = 0;
    for (int i = 0; i < RECORDS; i++) {
      StoredRecord stored =
          operator.records().read(new RecordId(OrderApplication.id(i))).orElseThrow();
      try (PlainFields found = app.records(TestWiring.ORDERS.name()).cipher().open(stored)) {
        right += OrderApplication.generation(OrderApplication.id(i), found) == 0 ? 1 : 0;
      }
    }
    assertEquals(RECORDS, right);
    assertInstanceOf(AuditVerdict.Intact.class, operator.verifyAudit());
    assertEquals(VersionState.DISABLED, operator.keystore().stateOf(from()).orElseThrow());
  }

  private KekVersion from() {
    return v(active);
  }

  private KekVersion to() {
    return v(active + 1);
  }

  @Override
  public void close() {
    app.close();
    wiring.close();
    operator.close();
    fleet.close();
  }
}
