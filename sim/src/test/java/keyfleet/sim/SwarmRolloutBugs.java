package keyfleet.sim;

import static keyfleet.sim.PlantedBug.inKv;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Task;
import keyfleet.rollout.node.JournalEntry;
import keyfleet.rollout.node.Quarantine;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.rollout.RolloutScenario;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Value;
import keyfleet.watchdog.JournalStore;
import keyfleet.wire.DesiredStateDocument;
import keyfleet.wire.NodeProfile;
import keyfleet.wire.NodeReportDocument;
import keyfleet.wire.RolloutKeys;
import org.jspecify.annotations.Nullable;

/// Bugs that an implementation of rollouts could have. H4 to H6 are the hazards of
/// `docs/internals/key-rules.md`.
final class SwarmRolloutBugs {
  private static final PortWrappers DESIRED_BY_PUT =
      inKv(kv -> new BuggyKv.PutInsteadOfUpdate(kv, SwarmRolloutBugs::isDesired), PortUser.DRIVER);

  private SwarmRolloutBugs() {}

  /// The bugs by name.
  static Map<String, PortWrappers> all() {
    Map<String, PortWrappers> bugs = new LinkedHashMap<>();
    bugs.put("desired by put", DESIRED_BY_PUT);
    bugs.put(
        "control by put",
        inKv(
            kv -> new BuggyKv.PutInsteadOfUpdate(kv, SwarmRolloutBugs::isControl),
            PortUser.DRIVER));
    bugs.put(
        "control ack before write",
        inKv(kv -> new BuggyKv.AckBeforeWrite(kv, SwarmRolloutBugs::isControl), PortUser.DRIVER));
    bugs.put(
        "slot of a silent node given away",
        inKv(
            kv -> new MisreadReports(kv, (prefix, all) -> assumeSilentDone(kv, prefix, all)),
            PortUser.DRIVER));
    bugs.put(
        "failure counted twice",
        inKv(kv -> new MisreadReports(kv, (_, all) -> doubleFailures(all)), PortUser.DRIVER));
    bugs.put(
        "confirm before soak",
        inKv(kv -> desiredAs(kv, SwarmRolloutBugs::withShortSoak), PortUser.WATCHDOG));
    bugs.put(
        "deadline that never comes",
        inKv(kv -> desiredAs(kv, it -> withDeadline(it, Duration.ofDays(1))), PortUser.WATCHDOG));
    bugs.put(
        "journal not kept",
        new PortWrappers() {
          @Override
          public JournalStore wrapJournal(JournalStore journalStore) {
            return new VolatileJournal(journalStore);
          }
        });
    bugs.put(
        "abort without acknowledgement",
        inKv(
            kv -> new MisreadReports(kv, (_, all) -> readEach(all, it -> assumeObeyed(kv, it))),
            PortUser.DRIVER));
    bugs.put(
        "returning node not asked",
        inKv(
            kv ->
                new BuggyKv.Misread(
                    kv,
                    (bucket, _) -> bucket.equals(RolloutKeys.STATUS),
                    SwarmRolloutBugs::withCurrentProtocol),
            PortUser.DRIVER));
    bugs.put(
        "quarantine forgotten",
        inKv(
            kv ->
                new BuggyKv.Misread(
                    kv,
                    (bucket, _) -> bucket.equals(RolloutKeys.NODES),
                    SwarmRolloutBugs::withoutQuarantine),
            PortUser.DRIVER,
            PortUser.OPERATOR));
    addHazards(bugs);
    return bugs;
  }

  private static void addHazards(Map<String, PortWrappers> bugs) {
    bugs.put(
        "H4 resumed driver counts failures",
        inKv(SwarmRolloutBugs::withRejectionsCountedAtStart, PortUser.DRIVER));
    bugs.put(
        "H5 superseded driver acts on",
        new PortWrappers() {
          @Override
          public Kv wrapKv(PortUser user, Kv kv) {
            return user == PortUser.WATCHDOG
                ? desiredAs(kv, new LatestDriverAssumed())
                : DESIRED_BY_PUT.wrapKv(user, kv);
          }
        });
    bugs.put(
        "H6 deadline shorter than a failover",
        inKv(
            kv -> desiredAs(kv, it -> withDeadline(it, Duration.ofSeconds(75))),
            PortUser.WATCHDOG));
  }

  private static boolean isDesired(Bucket bucket, Key key) {
    return key.value().startsWith("desired.");
  }

  private static Value withCurrentProtocol(Value status) {
    String oldProtocol = "\"protocol\":" + RolloutScenario.OLD_PROTOCOL;
    return Value.of(status.text().replace(oldProtocol, "\"protocol\":" + RolloutScenario.PROTOCOL));
  }

  private static Value withoutQuarantine(Value profile) {
    return new NodeProfile(NodeProfile.parse(profile).facts(), Quarantine.NONE).toValue();
  }

  private static boolean isControl(Bucket bucket, Key key) {
    return key.value().endsWith(".ctl");
  }

  private static Kv desiredAs(Kv kv, UnaryOperator<DesiredState> reading) {
    return new BuggyKv.Misread(
        kv,
        SwarmRolloutBugs::isDesired,
        value -> DesiredStateDocument.toValue(reading.apply(DesiredStateDocument.parse(value))));
  }

  private static DesiredState withShortSoak(DesiredState desiredState) {
    Task task = desiredState.task();
    return with(desiredState, Duration.ofSeconds(1), task.confirmWithin());
  }

  private static DesiredState withDeadline(DesiredState desiredState, Duration confirmWithin) {
    return with(desiredState, desiredState.task().soak(), confirmWithin);
  }

  private static DesiredState with(
      DesiredState desiredState, Duration soak, Duration confirmWithin) {
    Task task = desiredState.task();
    return new DesiredState(
        new Task(
            task.rollout(),
            task.attempt(),
            task.component(),
            task.release(),
            soak,
            confirmWithin,
            task.healthWait()),
        desiredState.goal(),
        desiredState.claim(),
        desiredState.decision());
  }

  /// Treats every order as one of the latest known driver.
  private static final class LatestDriverAssumed implements UnaryOperator<DesiredState> {
    private DriverClaim highest = DriverClaim.NONE;

    @Override
    public DesiredState apply(DesiredState desiredState) {
      highest = desiredState.claim().epoch() > highest.epoch() ? desiredState.claim() : highest;
      return new DesiredState(
          desiredState.task(), desiredState.goal(), highest, desiredState.decision());
    }
  }

  /// Some lists of the nodes' reports are read differently from what was written.
  private record MisreadReports(Kv inner, BiFunction<Prefix, List<Entry>, List<Entry>> reading)
      implements ForwardingKv {
    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      List<Entry> entries = inner.list(bucket, prefix);
      return bucket.equals(RolloutKeys.REPORTS) ? reading.apply(prefix, entries) : entries;
    }
  }

  private static List<Entry> readEach(List<Entry> entries, UnaryOperator<NodeReport> reading) {
    return entries.stream().map(it -> with(it, reading.apply(report(it)))).toList();
  }

  private static NodeReport report(Entry entry) {
    return NodeReportDocument.parse(entry.value());
  }

  private static Entry with(Entry entry, NodeReport report) {
    return new Entry(
        entry.key(), NodeReportDocument.toValue(report), entry.revision(), entry.writtenAt());
  }

  private static NodeReport with(
      NodeReport report, NodePhase phase, RollbackReason reason, DriverClaim seen) {
    return new NodeReport(report.node(), report.task(), phase, reason, seen, report.running());
  }

  /// Assumes that a node has obeyed its order to go back.
  private static NodeReport assumeObeyed(Kv kv, NodeReport report) {
    Key key = RolloutKeys.desired(report.task().component(), report.node());
    return kv.get(RolloutKeys.ROLLOUTS, key)
        .map(it -> DesiredStateDocument.parse(it.value()))
        .filter(it -> !it.goal().isForward() && !report.phase().isTerminal())
        .map(it -> with(report, NodePhase.ROLLED_BACK, RollbackReason.ORDERED, it.claim()))
        .orElse(report);
  }

  /// Assumes that a node without a heartbeat is confirmed.
  private static List<Entry> assumeSilentDone(Kv kv, Prefix prefix, List<Entry> entries) {
    List<Key> beating = kv.list(RolloutKeys.STATUS, prefix).stream().map(Entry::key).toList();
    return entries.stream().map(it -> beating.contains(it.key()) ? it : assumeDone(it)).toList();
  }

  private static Entry assumeDone(Entry entry) {
    NodeReport report = report(entry);
    return with(entry, with(report, NodePhase.CONFIRMED, RollbackReason.NONE, report.claim()));
  }

  /// Counts every failure a second time, for the next node in the list.
  private static List<Entry> doubleFailures(List<Entry> reports) {
    List<Entry> entries = new ArrayList<>(reports);
    for (int i = 0; i + 1 < entries.size(); i++) {
      NodeReport failed = report(entries.get(i));
      if (failed.rollbackReason() == RollbackReason.UNHEALTHY) {
        NodeReport next = report(entries.get(i + 1));
        entries.set(
            i + 1,
            with(
                entries.get(i + 1),
                with(next, failed.phase(), failed.rollbackReason(), next.claim())));
      }
    }
    return entries;
  }

  /// A driver that has just started asks all nodes to prepare, and counts the answer "not in this
  /// state" as a failure.
  private static Kv withRejectionsCountedAtStart(Kv kv) {
    AtomicBoolean isResumed = new AtomicBoolean();
    return new MisreadReports(
        kv,
        (_, all) ->
            isResumed.getAndSet(true) ? all : readEach(all, SwarmRolloutBugs::countRejection));
  }

  private static NodeReport countRejection(NodeReport report) {
    return report.phase() == NodePhase.PREPARING || report.phase().isTerminal()
        ? report
        : with(report, NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY, report.claim());
  }

  /// A journal that does not outlive the process.
  private static final class VolatileJournal implements JournalStore {
    private final JournalStore inner;
    private @Nullable JournalEntry last;

    VolatileJournal(JournalStore inner) {
      this.inner = inner;
    }

    @Override
    public Optional<JournalEntry> load() {
      return Optional.ofNullable(last);
    }

    @Override
    public void save(JournalEntry entry) {
      inner.save(entry);
      last = entry;
    }
  }
}
