package keyfleet.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

/// Bugs that an implementation of rollouts could have. H4 to H6 are the hazards of
/// `docs/internals/key-rules.md`.
enum SwarmRolloutBug implements PortWrappers {
  DESIRED_BY_PUT {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.DRIVER
          ? new BuggyKv.PutInsteadOfUpdate(kv, SwarmRolloutBug::isDesired)
          : kv;
    }
  },
  CONTROL_BY_PUT {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.DRIVER
          ? new BuggyKv.PutInsteadOfUpdate(kv, SwarmRolloutBug::isControl)
          : kv;
    }
  },
  CONTROL_ACK_BEFORE_WRITE {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.DRIVER
          ? new BuggyKv.AckBeforeWrite(kv, SwarmRolloutBug::isControl)
          : kv;
    }
  },
  SLOT_OF_A_SILENT_NODE_GIVEN_AWAY {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.DRIVER ? new SilentAssumedDone(kv) : kv;
    }
  },
  FAILURE_COUNTED_TWICE {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.DRIVER ? new FailuresDoubled(kv) : kv;
    }
  },
  CONFIRM_BEFORE_SOAK {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.WATCHDOG ? desiredAs(kv, SwarmRolloutBug::withShortSoak) : kv;
    }
  },
  DEADLINE_THAT_NEVER_COMES {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.WATCHDOG
          ? desiredAs(kv, it -> withDeadline(it, Duration.ofDays(1)))
          : kv;
    }
  },
  JOURNAL_NOT_KEPT {
    @Override
    public JournalStore wrapJournal(JournalStore journalStore) {
      return new VolatileJournal(journalStore);
    }
  },
  ABORT_WITHOUT_ACKNOWLEDGEMENT {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.DRIVER ? new AbortAssumedObeyed(kv) : kv;
    }
  },
  RETURNING_NODE_NOT_ASKED {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.DRIVER
          ? new BuggyKv.Misread(
              kv,
              (bucket, _) -> bucket.equals(RolloutKeys.STATUS),
              SwarmRolloutBug::withCurrentProtocol)
          : kv;
    }
  },
  QUARANTINE_FORGOTTEN {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.DRIVER || user == PortUser.OPERATOR
          ? new BuggyKv.Misread(
              kv,
              (bucket, _) -> bucket.equals(RolloutKeys.NODES),
              SwarmRolloutBug::withoutQuarantine)
          : kv;
    }
  },
  H4_RESUMED_DRIVER_COUNTS_FAILURES {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.DRIVER ? new RejectionsCountedAsFailures(kv) : kv;
    }
  },
  H5_SUPERSEDED_DRIVER_ACTS_ON {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return switch (user) {
        case DRIVER -> new BuggyKv.PutInsteadOfUpdate(kv, SwarmRolloutBug::isDesired);
        case WATCHDOG -> desiredAs(kv, new LatestDriverAssumed());
        default -> kv;
      };
    }
  },
  H6_DEADLINE_SHORTER_THAN_A_FAILOVER {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.WATCHDOG
          ? desiredAs(kv, it -> withDeadline(it, Duration.ofSeconds(75)))
          : kv;
    }
  };

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
        SwarmRolloutBug::isDesired,
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

  private static Entry with(Entry entry, NodeReport report) {
    return new Entry(
        entry.key(), NodeReportDocument.toValue(report), entry.revision(), entry.writtenAt());
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

  /// Assumes that a node has obeyed its order to go back.
  private record AbortAssumedObeyed(Kv inner) implements ForwardingKv {
    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      List<Entry> entries = inner.list(bucket, prefix);
      return bucket.equals(RolloutKeys.REPORTS)
          ? entries.stream().map(this::assumeObeyed).toList()
          : entries;
    }

    private Entry assumeObeyed(Entry entry) {
      NodeReport report = NodeReportDocument.parse(entry.value());
      Key key = RolloutKeys.desired(report.task().component(), report.node());
      return inner
          .get(RolloutKeys.ROLLOUTS, key)
          .map(it -> DesiredStateDocument.parse(it.value()))
          .filter(it -> !it.goal().isForward() && !report.phase().isTerminal())
          .map(it -> with(report, NodePhase.ROLLED_BACK, RollbackReason.ORDERED, it.claim()))
          .map(it -> SwarmRolloutBug.with(entry, it))
          .orElse(entry);
    }
  }

  private static NodeReport with(
      NodeReport report, NodePhase phase, RollbackReason reason, DriverClaim seen) {
    return new NodeReport(report.node(), report.task(), phase, reason, seen, report.running());
  }

  /// Assumes that a node without a heartbeat is confirmed.
  private record SilentAssumedDone(Kv inner) implements ForwardingKv {
    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      List<Entry> entries = inner.list(bucket, prefix);
      if (!bucket.equals(RolloutKeys.REPORTS)) {
        return entries;
      }
      List<Key> beating = inner.list(RolloutKeys.STATUS, prefix).stream().map(Entry::key).toList();
      return entries.stream()
          .map(entry -> beating.contains(entry.key()) ? entry : assumeDone(entry))
          .toList();
    }

    private static Entry assumeDone(Entry entry) {
      NodeReport report = NodeReportDocument.parse(entry.value());
      return SwarmRolloutBug.with(
          entry, with(report, NodePhase.CONFIRMED, RollbackReason.NONE, report.claim()));
    }
  }

  /// Counts every failure a second time, for the next node in the list.
  private record FailuresDoubled(Kv inner) implements ForwardingKv {
    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      List<Entry> entries = new ArrayList<>(inner.list(bucket, prefix));
      if (!bucket.equals(RolloutKeys.REPORTS)) {
        return entries;
      }
      for (int i = 0; i + 1 < entries.size(); i++) {
        NodeReport report = NodeReportDocument.parse(entries.get(i).value());
        if (report.rollbackReason() == RollbackReason.UNHEALTHY) {
          entries.set(i + 1, withFailureOf(entries.get(i + 1), report));
        }
      }
      return entries;
    }

    private static Entry withFailureOf(Entry entry, NodeReport failed) {
      NodeReport own = NodeReportDocument.parse(entry.value());
      return SwarmRolloutBug.with(
          entry, with(own, failed.phase(), failed.rollbackReason(), own.claim()));
    }
  }

  /// A driver that has just started asks all nodes to prepare, and counts the answer "not in this
  /// state" as a failure.
  private static final class RejectionsCountedAsFailures implements ForwardingKv {
    private final Kv inner;
    private boolean resumed;

    RejectionsCountedAsFailures(Kv inner) {
      this.inner = inner;
    }

    @Override
    public Kv inner() {
      return inner;
    }

    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      List<Entry> entries = inner.list(bucket, prefix);
      if (resumed || !bucket.equals(RolloutKeys.REPORTS)) {
        return entries;
      }
      resumed = true;
      return entries.stream().map(RejectionsCountedAsFailures::asFailed).toList();
    }

    private static Entry asFailed(Entry entry) {
      NodeReport report = NodeReportDocument.parse(entry.value());
      NodeReport failed =
          report.phase() == NodePhase.PREPARING || report.phase().isTerminal()
              ? report
              : with(report, NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY, report.claim());
      return SwarmRolloutBug.with(entry, failed);
    }
  }

  /// A journal that does not outlive the process.
  private static final class VolatileJournal implements JournalStore {
    private final JournalStore inner;
    private final Map<JournalStore, JournalEntry> entries = new HashMap<>();

    VolatileJournal(JournalStore inner) {
      this.inner = inner;
    }

    @Override
    public Optional<JournalEntry> load() {
      return Optional.ofNullable(entries.get(inner));
    }

    @Override
    public void save(JournalEntry entry) {
      inner.save(entry);
      entries.put(inner, entry);
    }
  }
}
