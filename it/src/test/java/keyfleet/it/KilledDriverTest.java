package keyfleet.it;

import static keyfleet.it.Overseer.done;
import static keyfleet.it.Overseer.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import keyfleet.control.AuditVerdict;
import keyfleet.control.Failpoint;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The process that drives a rotation is killed at an effect, and so is the one that gives orders;
/// another goes on, and it all ends as if nothing had happened.
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class KilledDriverTest {
  /// Where somebody dies.
  record Death(Kind kind, Halt halt) {}

  private static final int RECORDS = 300;

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

  /// A fence is raised in two phases, a keystore written in ten: once is not enough there.
  private static final Map<Failpoint, List<Integer>> PASSINGS =
      Map.of(
          Failpoint.KEYSTORE_WRITE, List.of(1, 2, 3, 4, 5, 6, 7),
          Failpoint.FENCE_RAISE, List.of(1, 2),
          Failpoint.RECORD_WRITE, List.of(2));

  private static final Timings TIMINGS =
      new Timings(
          Duration.ofMillis(400),
          Duration.ofMillis(2000),
          Duration.ofMillis(3000),
          Duration.ofMillis(4000),
          Duration.ofMillis(1000));

  @TempDir Path folder = Path.of("");

  static Stream<Death> deaths() {
    List<Death> all = new ArrayList<>();
    for (Failpoint point : EnumSet.range(Failpoint.KEYSTORE_READ, Failpoint.CENSUS)) {
      for (int passing : PASSINGS.getOrDefault(point, List.of(1))) {
        for (Side side : Side.values()) {
          all.add(new Death(Kind.SQLITE, new Halt(point, side, passing)));
        }
      }
    }
    for (Kind kind : List.of(Kind.POSTGRES, Kind.MONGODB, Kind.NATS)) {
      all.add(new Death(kind, new Halt(Failpoint.KEYSTORE_WRITE, Side.AFTER, 3)));
      all.add(new Death(kind, new Halt(Failpoint.RECORD_WRITE, Side.AFTER, 2)));
      all.add(new Death(kind, new Halt(Failpoint.FENCE_RAISE, Side.BEFORE, 1)));
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("deaths")
  void killedProcess_isSucceededWithoutLoss(Death death) {
    Halt halt = death.halt();
    try (Fleet fleet = new Fleet(folder, death.kind().open(folder), Supply.ENV)) {
      List.of(Fleet.OPERATOR, "first", "doomed", "heir", "app").forEach(it -> fleet.give(it, 1, 2));
      try (Overseer overseer = fleet.overseer();
          Wiring wiring = new Wiring(fleet.environment("app"))) {
        overseer.announce(1, TIMINGS);
        overseer.makeRecords();
        try (Member app = Bystander.joined(wiring, "app")) {
          fill(app);
          overseer.announce(2, TIMINGS);
          Until.holds("v2 is proved", () -> Bystander.isReady(overseer, 2, 1));
          if (OPERATORS.contains(halt.point())) {
            killTheOperator(fleet, overseer, halt);
          } else {
            killTheDriver(fleet, overseer, halt);
          }
          checkTheEnd(overseer, app);
        }
      }
    }
  }

  private static void fill(Member app) {
    for (int i = 0; i < RECORDS; i++) {
      String id = Clerk.id(i);
      Until.holds(id + " is there", () -> Bystander.inserts(app, id));
    }
  }

  /// The rotation is ordered before there is anybody to drive it, so that all it does is part of
  /// it.
  private static void killTheDriver(Fleet fleet, Overseer overseer, Halt halt) {
    FleetProcess heir = server(fleet, "heir", List.of());
    FleetProcess doomed = server(fleet, "doomed", halt.options());
    done(overseer.orders().rotate(v(1), v(2)));
    if (halt.point() == Failpoint.SIGN_READ) {
      dies(server(fleet, "first", FIRST.options()), FIRST);
    }
    dies(doomed, halt);
    heir.tell("go");
    awaitCompletion(overseer, heir);
    OperatorUnderTest.disable(overseer);
  }

  private static void dies(FleetProcess doomed, Halt halt) {
    doomed.tell("go");
    assertEquals(Halt.EXIT, doomed.await(), () -> halt + " is never come to" + doomed.said());
  }

  private static void killTheOperator(Fleet fleet, Overseer overseer, Halt halt) {
    FleetProcess worker = server(fleet, "heir", List.of());
    worker.tell("go");
    FleetProcess doomed =
        fleet.start(
            Fleet.OPERATOR,
            Map.of(),
            new Program(halt.options(), OperatorUnderTest.class.getName(), List.of()));
    assertEquals(Halt.EXIT, doomed.await(), () -> halt + " is never come to" + doomed.said());
    FleetProcess next =
        fleet.start(Fleet.OPERATOR, Map.of(), new Program(OperatorUnderTest.class.getName()));
    assertEquals(0, next.await(), next::said);
    awaitCompletion(overseer, worker);
  }

  private static FleetProcess server(Fleet fleet, String name, List<String> options) {
    FleetProcess server =
        fleet.start(
            name, Map.of(), new Program(options, ServerUnderTest.class.getName(), List.of()));
    server.awaitLine(ServerUnderTest.READY);
    return server;
  }

  private static void awaitCompletion(Overseer overseer, FleetProcess worker) {
    Until.holds(
        "the rotation is completed",
        () -> overseer.keystore().rotation() instanceof Completed,
        () -> overseer.keystore().rotation() + worker.said());
  }

  private static void checkTheEnd(Overseer overseer, Member app) {
    assertEquals(Map.of(v(2), (long) RECORDS), overseer.carrying());
    int right = 0;
    for (int i = 0; i < RECORDS; i++) {
      StoredRecord stored = overseer.records().read(new RecordId(Clerk.id(i))).orElseThrow();
      try (PlainFields found = app.records(Wiring.ORDERS.name()).cipher().open(stored)) {
        right += Clerk.generation(Clerk.id(i), found) == 0 ? 1 : 0;
      }
    }
    assertEquals(RECORDS, right);
    assertInstanceOf(AuditVerdict.Intact.class, overseer.audit());
    assertEquals(VersionState.DISABLED, overseer.keystore().stateOf(v(1)).orElseThrow());
  }

  /// A point that no process of this test comes to would be tested nowhere.
  @Test
  void failpoints_areAllTried() {
    Set<Failpoint> tried = EnumSet.noneOf(Failpoint.class);
    deaths().forEach(it -> tried.add(it.halt().point()));
    assertEquals(EnumSet.range(Failpoint.KEYSTORE_READ, Failpoint.CENSUS), tried);
  }
}
