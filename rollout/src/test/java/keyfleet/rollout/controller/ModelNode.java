package keyfleet.rollout.controller;

import java.util.Random;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Task;
import org.jspecify.annotations.Nullable;

/// The simplest node that obeys the rules. It acts on an order that it has read, perhaps long ago.
/// It never goes forward after a stop, nor twice in one attempt. It rolls back by itself.
final class ModelNode {
  final NodeId id;
  boolean present = true;

  /// How often it has started the release.
  int swaps;

  /// Whether it ever reported that the release is bad.
  boolean reportedBad;

  private @Nullable DesiredState readOrder;
  private @Nullable Task task;
  private DriverClaim claim = DriverClaim.NONE;
  private NodePhase phase = NodePhase.PREPARING;
  private RollbackReason rollbackReason = RollbackReason.NONE;
  private boolean stopped;

  ModelNode(NodeId id) {
    this.id = id;
  }

  void read(@Nullable DesiredState desired) {
    readOrder = desired;
  }

  /// Runs the release unconfirmed.
  boolean isUnconfirmed() {
    return task != null
        && (phase == NodePhase.APPLYING
            || phase == NodePhase.SOAKING
            || phase == NodePhase.SOAKED
            || phase == NodePhase.ROLLING_BACK);
  }

  boolean isConfirmed() {
    return task != null && phase == NodePhase.CONFIRMED;
  }

  /// Acts on the order that it has read, unless that order is outdated.
  void act() {
    DesiredState order = readOrder;
    readOrder = null;
    if (order == null || !claim.canYieldTo(order.claim())) {
      return;
    }
    Task mine = task;
    if (mine == null || order.task().attempt() > mine.attempt()) {
      if (mine != null && !phase.isTerminal() && phase != NodePhase.PREPARING) {
        return;
      }
      task = order.task();
      phase = NodePhase.PREPARING;
      rollbackReason = RollbackReason.NONE;
    } else if (order.task().attempt() < mine.attempt()) {
      return;
    }
    claim = order.claim();
    obey(order.goal());
  }

  private void obey(Goal goal) {
    stopped |= goal == Goal.ROLLED_BACK || goal == Goal.REVERTED;
    switch (goal) {
      case STAGED -> {}
      case APPLIED -> {
        if (phase == NodePhase.STAGED && !stopped) {
          phase = NodePhase.APPLYING;
          swaps++;
        }
      }
      case CONFIRMED -> {
        if (phase == NodePhase.SOAKED) {
          phase = NodePhase.CONFIRMED;
        }
      }
      case ROLLED_BACK -> rollBack(RollbackReason.ORDERED);
      case REVERTED -> {
        if (phase == NodePhase.CONFIRMED) {
          phase = NodePhase.REVERTED;
        } else {
          rollBack(RollbackReason.ORDERED);
        }
      }
      default -> throw new IllegalStateException("no goal: " + goal);
    }
  }

  private void rollBack(RollbackReason reason) {
    if (!phase.isTerminal() && phase != NodePhase.ROLLING_BACK) {
      boolean ran = isUnconfirmed();
      phase = ran ? NodePhase.ROLLING_BACK : NodePhase.ROLLED_BACK;
      rollbackReason = reason;
    }
  }

  /// Lets time pass; one step in `faultRate` goes wrong.
  void passTime(Random random, int faultRate) {
    boolean wrong = random.nextInt(faultRate) == 0;
    switch (phase) {
      case PREPARING -> {
        if (task != null && wrong) {
          rollBack(
              random.nextBoolean()
                  ? RollbackReason.INFRASTRUCTURE
                  : markBad(RollbackReason.REFUSED));
        } else if (task != null && !stopped) {
          phase = NodePhase.STAGED;
        }
      }
      case APPLYING -> phase = NodePhase.SOAKING;
      case SOAKING -> {
        if (wrong) {
          rollBack(markBad(RollbackReason.UNHEALTHY));
        } else {
          phase = NodePhase.SOAKED;
        }
      }
      case SOAKED -> {
        if (wrong) {
          rollBack(RollbackReason.UNCONFIRMED);
        }
      }
      case ROLLING_BACK -> phase = NodePhase.ROLLED_BACK;
      case STAGED, CONFIRMED, ROLLED_BACK, REVERTED -> {}
    }
  }

  private RollbackReason markBad(RollbackReason reason) {
    reportedBad = true;
    return reason;
  }

  /// Null for a rollout that the node does not know.
  @Nullable NodeReport report() {
    Task mine = task;
    return mine == null
        ? null
        : new NodeReport(
            id,
            mine,
            phase,
            rollbackReason,
            claim,
            isConfirmed() ? ControllerFixtures.NEW : ControllerFixtures.OLD);
  }
}
