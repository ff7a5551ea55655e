package keyfleet.control;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import keyfleet.rollout.Desired;
import keyfleet.rollout.Facts;
import keyfleet.rollout.Goal;
import keyfleet.rollout.Lead;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.Phase;
import keyfleet.rollout.Quarantine;
import keyfleet.rollout.Setback;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;
import keyfleet.store.Kv;
import keyfleet.store.Value;
import org.jspecify.annotations.Nullable;

/// A node that does what its `desired` key says, one phase a step, and reports.
final class ObedientNode {
  private static final Sha256 OLD = new Sha256("aa".repeat(32));

  private final NodeId id;
  private final Kv kv;
  private @Nullable Task task;
  private Phase phase = Phase.ROLLED_BACK;
  private Setback setback = Setback.NONE;
  private Lead seen = Lead.NOBODY;
  private boolean sick;
  private boolean degraded;
  private int protocol = 2;
  private String version = "1.0";
  private Quarantine quarantine = Quarantine.NONE;
  private int swaps;

  ObedientNode(NodeId id, Kv kv) {
    this.id = id;
    this.kv = kv;
  }

  NodeId id() {
    return id;
  }

  Phase phase() {
    return phase;
  }

  Lead seen() {
    return seen;
  }

  /// How often it has begun to run a release.
  int swaps() {
    return swaps;
  }

  /// From here on no release becomes ready.
  void sicken() {
    sick = true;
  }

  void recover() {
    sick = false;
  }

  void degrade() {
    degraded = true;
  }

  /// It comes back with another watchdog, or other software.
  void become(int otherProtocol, String otherVersion) {
    protocol = otherProtocol;
    version = otherVersion;
  }

  void step() {
    NodeCard card = new NodeCard(Facts.NONE, quarantine);
    kv.put(RolloutKeys.NODES, RolloutKeys.ofNode(RolloutRig.AGENT, id), card.toValue());
    Value beat =
        Value.of(
            "{\"degraded\":%d,\"protocol\":%d,\"version\":\"%s\"}"
                .formatted(degraded ? 1 : 0, protocol, version));
    kv.put(RolloutKeys.STATUS, RolloutKeys.ofNode(RolloutRig.AGENT, id), beat);
    kv.get(RolloutKeys.ROLLOUTS, RolloutKeys.desired(RolloutRig.AGENT, id))
        .filter(it -> !it.value().equals(RolloutRig.GARBLED))
        .ifPresent(it -> obey(DesiredDocument.read(it.value())));
    Task mine = task;
    if (mine != null) {
      NodeReport report = new NodeReport(id, mine, phase, setback, seen, OLD);
      kv.put(
          RolloutKeys.REPORTS,
          RolloutKeys.ofNode(RolloutRig.AGENT, id),
          NodeReportDocument.of(report));
    }
  }

  private void obey(Desired desired) {
    Task mine = task;
    boolean known = mine != null && mine.rollout().equals(desired.task().rollout());
    if (known && !seen.yieldsTo(desired.lead())) {
      return;
    }
    if (mine == null || !known || desired.task().attempt() > mine.attempt()) {
      task = desired.task();
      phase = Phase.PREPARING;
      setback = Setback.NONE;
    }
    seen = desired.lead();
    move(desired.goal());
  }

  private void move(Goal goal) {
    boolean back = goal == Goal.ROLLED_BACK || goal == Goal.REVERTED;
    if (back && (!phase.isTerminal() || (goal == Goal.REVERTED && phase == Phase.CONFIRMED))) {
      setback = Setback.ORDERED;
      phase = phase == Phase.CONFIRMED ? Phase.REVERTED : Phase.ROLLED_BACK;
    } else if (!back) {
      phase = forward(goal);
    }
  }

  private Phase forward(Goal goal) {
    if (sick && phase == Phase.SOAKING) {
      setback = Setback.UNHEALTHY;
      Task mine = Objects.requireNonNull(task);
      quarantine = new Quarantine(new TreeMap<>(Map.of(mine.release(), mine.attempt())));
      return Phase.ROLLED_BACK;
    }
    return switch (phase) {
      case PREPARING -> Phase.STAGED;
      case STAGED -> goal == Goal.STAGED ? Phase.STAGED : applied();
      case APPLYING -> Phase.SOAKING;
      case SOAKING -> Phase.SOAKED;
      case SOAKED -> goal == Goal.CONFIRMED ? Phase.CONFIRMED : Phase.SOAKED;
      case CONFIRMED, ROLLING_BACK, ROLLED_BACK, REVERTED -> phase;
    };
  }

  private Phase applied() {
    swaps++;
    return Phase.APPLYING;
  }
}
