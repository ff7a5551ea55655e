package keyfleet.control.rollout;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;
import keyfleet.rollout.node.Quarantine;
import keyfleet.rollout.target.Facts;
import keyfleet.store.Kv;
import keyfleet.store.Value;
import keyfleet.wire.DesiredStateDocument;
import keyfleet.wire.NodeProfile;
import keyfleet.wire.NodeReportDocument;
import keyfleet.wire.RolloutKeys;
import org.jspecify.annotations.Nullable;

/// A node that follows its `desired` key, one phase a step, and reports.
final class FakeNode {
  private static final Sha256 OLD = new Sha256("aa".repeat(32));

  private final NodeId id;
  private final Kv kv;
  private @Nullable Task task;
  private NodePhase nodePhase = NodePhase.ROLLED_BACK;
  private RollbackReason rollbackReason = RollbackReason.NONE;
  private DriverClaim seen = DriverClaim.NONE;
  private boolean unhealthy;
  private boolean degraded;
  private int protocol = 2;
  private String version = "1.0";
  private Quarantine quarantine = Quarantine.NONE;
  private int swaps;

  FakeNode(NodeId id, Kv kv) {
    this.id = id;
    this.kv = kv;
  }

  NodeId id() {
    return id;
  }

  NodePhase nodePhase() {
    return nodePhase;
  }

  DriverClaim seen() {
    return seen;
  }

  /// How often the node has started a release.
  int swaps() {
    return swaps;
  }

  /// From now on no release becomes ready.
  void makeUnhealthy() {
    unhealthy = true;
  }

  void makeHealthy() {
    unhealthy = false;
  }

  void degrade() {
    degraded = true;
  }

  /// The node comes back with another watchdog or other software.
  void reappearAs(int otherProtocol, String otherVersion) {
    protocol = otherProtocol;
    version = otherVersion;
  }

  void step() {
    NodeProfile profile = new NodeProfile(Facts.NONE, quarantine);
    kv.put(RolloutKeys.NODES, RolloutKeys.ofNode(RolloutTestFleet.AGENT, id), profile.toValue());
    Value heartbeat =
        Value.of(
            "{\"degraded\":%d,\"protocol\":%d,\"version\":\"%s\"}"
                .formatted(degraded ? 1 : 0, protocol, version));
    kv.put(RolloutKeys.STATUS, RolloutKeys.ofNode(RolloutTestFleet.AGENT, id), heartbeat);
    kv.get(RolloutKeys.ROLLOUTS, RolloutKeys.desired(RolloutTestFleet.AGENT, id))
        .filter(it -> !it.value().equals(RolloutTestFleet.MALFORMED))
        .ifPresent(it -> obey(DesiredStateDocument.parse(it.value())));
    Task mine = task;
    if (mine != null) {
      NodeReport report = new NodeReport(id, mine, nodePhase, rollbackReason, seen, OLD);
      kv.put(
          RolloutKeys.REPORTS,
          RolloutKeys.ofNode(RolloutTestFleet.AGENT, id),
          NodeReportDocument.toValue(report));
    }
  }

  private void obey(DesiredState desiredState) {
    Task mine = task;
    boolean isKnown = mine != null && mine.rollout().equals(desiredState.task().rollout());
    if (isKnown && !seen.canYieldTo(desiredState.claim())) {
      return;
    }
    if (mine == null || !isKnown || desiredState.task().attempt() > mine.attempt()) {
      task = desiredState.task();
      nodePhase = NodePhase.PREPARING;
      rollbackReason = RollbackReason.NONE;
    }
    seen = desiredState.claim();
    moveTo(desiredState.goal());
  }

  private void moveTo(Goal goal) {
    boolean isBack = goal == Goal.ROLLED_BACK || goal == Goal.REVERTED;
    if (isBack
        && (!nodePhase.isTerminal()
            || (goal == Goal.REVERTED && nodePhase == NodePhase.CONFIRMED))) {
      rollbackReason = RollbackReason.ORDERED;
      nodePhase = nodePhase == NodePhase.CONFIRMED ? NodePhase.REVERTED : NodePhase.ROLLED_BACK;
    } else if (!isBack) {
      nodePhase = forward(goal);
    }
  }

  private NodePhase forward(Goal goal) {
    if (unhealthy && nodePhase == NodePhase.SOAKING) {
      rollbackReason = RollbackReason.UNHEALTHY;
      Task mine = Objects.requireNonNull(task);
      quarantine = new Quarantine(new TreeMap<>(Map.of(mine.release(), mine.attempt())));
      return NodePhase.ROLLED_BACK;
    }
    return switch (nodePhase) {
      case PREPARING -> NodePhase.STAGED;
      case STAGED -> goal == Goal.STAGED ? NodePhase.STAGED : apply();
      case APPLYING -> NodePhase.SOAKING;
      case SOAKING -> NodePhase.SOAKED;
      case SOAKED -> goal == Goal.CONFIRMED ? NodePhase.CONFIRMED : NodePhase.SOAKED;
      case CONFIRMED, ROLLING_BACK, ROLLED_BACK, REVERTED -> nodePhase;
    };
  }

  private NodePhase apply() {
    swaps++;
    return NodePhase.APPLYING;
  }
}
