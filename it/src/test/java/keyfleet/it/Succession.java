package keyfleet.it;

import static keyfleet.it.Overseer.v;
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
import keyfleet.it.Fleet.Supply;
import keyfleet.it.FleetProcess.Program;
import keyfleet.it.Halt.Side;
import keyfleet.it.Site.Kind;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionState;
import keyfleet.member.Member;
import keyfleet.member.PlainFields;
import keyfleet.store.RecordId;
import keyfleet.store.StoredRecord;

/// A fleet whose drivers die: one rotation after another, each with a process that is killed in the
/// middle of it and the same heir. One death at a time.
final class Succession implements AutoCloseable {
  private static final int RECORDS = 300;

  /// Rotations that it lives through at most: everybody is given so many keys.
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

  /// What only an operator's process comes to.
  private static final Set<Failpoint> OPERATORS =
      EnumSet.of(
          Failpoint.PROGRESS_READ,
          Failpoint.REMOVAL_READ,
          Failpoint.REMOVAL_WRITE,
          Failpoint.AUDIT_LIST,
          Failpoint.AUDIT_TIME);

  /// Only who watches another driver looks for a sign of life, so one must have been there.
  private static final Halt FIRST = new Halt(Failpoint.RECORD_WRITE, Side.AFTER, 1);

  private final Fleet fleet;
  private final Overseer overseer;
  private final Wiring wiring;
  private final Member app;
  private final FleetProcess heir;
  private int active = 1;

  Succession(Path folder, Kind kind) {
    fleet = new Fleet(folder, kind.open(folder), Supply.ENV);
    List.of(Fleet.OPERATOR, "app").forEach(it -> fleet.give(it, KEYS));
    overseer = fleet.overseer();
    wiring = new Wiring(fleet.environment("app"));
    overseer.announce(1, TIMINGS);
    overseer.makeRecords();
    app = Bystander.joined(wiring, "app");
    for (int i = 0; i < RECORDS; i++) {
      String id = Clerk.id(i);
      Until.holds(id + " is there", () -> Bystander.inserts(app, id));
    }
    heir = server("heir", List.of());
  }

  boolean goesOn() {
    return active <= ROTATIONS;
  }

  /// One rotation, in which somebody dies.
  void survive(Halt halt) {
    overseer.announce(active + 1, TIMINGS);
    Until.holds("the new version is proved", () -> Bystander.isReady(overseer, active + 1, 1));
    if (OPERATORS.contains(halt.point())) {
      killTheOperator(halt);
    } else {
      killTheDriver(halt);
    }
    checkTheEnd();
    heir.tell(ServerUnderTest.REST);
    // The dead would be laggards of the next rotation.
    Until.holds("only the app beats", () -> fresh() == 1, heir::said);
    active++;
  }

  private int fresh() {
    return overseer.roster().fresh(TIMINGS.fresh()).size();
  }

  /// The rotation is ordered before there is anybody to drive it, so that all it does is part of
  /// it.
  private void killTheDriver(Halt halt) {
    FleetProcess doomed = server("doomed-" + active, halt.options());
    Until.holds("it is ordered", () -> isOrdered(overseer.orders().rotate(from(), to())));
    if (halt.point() == Failpoint.SIGN_READ) {
      dies(server("first-" + active, FIRST.options()), FIRST);
    }
    dies(doomed, halt);
    heir.tell(ServerUnderTest.GO);
    awaitCompletion();
    OperatorUnderTest.disable(overseer, from());
  }

  /// On a busy machine the only process there is may not be fresh just now.
  private static boolean isOrdered(KeyringOperations.Result result) {
    return !(result instanceof KeyringOperations.Refused);
  }

  private static void dies(FleetProcess doomed, Halt halt) {
    doomed.tell(ServerUnderTest.GO);
    assertEquals(Halt.EXIT, doomed.await(), () -> halt + " is never come to" + doomed.said());
  }

  private void killTheOperator(Halt halt) {
    heir.tell(ServerUnderTest.GO);
    FleetProcess doomed = operator(halt.options());
    assertEquals(Halt.EXIT, doomed.await(), () -> halt + " is never come to" + doomed.said());
    FleetProcess next = operator(List.of());
    assertEquals(0, next.await(), next::said);
    awaitCompletion();
  }

  private FleetProcess operator(List<String> options) {
    List<String> course = List.of("" + active, "" + (active + 1));
    return fleet.start(
        Fleet.OPERATOR, Map.of(), new Program(options, OperatorUnderTest.class.getName(), course));
  }

  private FleetProcess server(String name, List<String> options) {
    fleet.give(name, KEYS);
    FleetProcess server =
        fleet.start(
            name, Map.of(), new Program(options, ServerUnderTest.class.getName(), List.of()));
    server.awaitLine(ServerUnderTest.READY);
    return server;
  }

  private void awaitCompletion() {
    Until.holds(
        "the rotation is completed",
        () ->
            overseer.keystore().rotation() instanceof Completed(var rotationJob)
                && rotationJob.to().equals(to()),
        () -> overseer.keystore().rotation() + heir.said());
  }

  private void checkTheEnd() {
    assertEquals(Map.of(to(), (long) RECORDS), overseer.carrying());
    int right = 0;
    for (int i = 0; i < RECORDS; i++) {
      StoredRecord stored = overseer.records().read(new RecordId(Clerk.id(i))).orElseThrow();
      try (PlainFields found = app.records(Wiring.ORDERS.name()).cipher().open(stored)) {
        right += Clerk.generation(Clerk.id(i), found) == 0 ? 1 : 0;
      }
    }
    assertEquals(RECORDS, right);
    assertInstanceOf(AuditVerdict.Intact.class, overseer.audit());
    assertEquals(VersionState.DISABLED, overseer.keystore().stateOf(from()).orElseThrow());
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
    overseer.close();
    fleet.close();
  }
}
