package keyfleet.rollout;

import java.util.Random;
import org.jspecify.annotations.Nullable;

/// The simplest node that obeys the rules: it acts on an order that it has read, perhaps long ago;
/// it never goes forward after a stop, nor twice in one attempt; it rolls back by itself.
final class ModelNode {
  final NodeId id;
  boolean present = true;

  /// How often it has started the release.
  int swaps;

  /// Whether it ever reported that the release is bad.
  boolean complained;

  private @Nullable Desired read;
  private @Nullable Task task;
  private Lead seen = Lead.NOBODY;
  private Phase phase = Phase.PREPARING;
  private Setback setback = Setback.NONE;
  private boolean stopped;

  ModelNode(NodeId id) {
    this.id = id;
  }

  void read(@Nullable Desired desired) {
    read = desired;
  }

  /// Runs the release unconfirmed.
  boolean isUnconfirmed() {
    return task != null
        && (phase == Phase.APPLYING
            || phase == Phase.SOAKING
            || phase == Phase.SOAKED
            || phase == Phase.ROLLING_BACK);
  }

  boolean isConfirmed() {
    return task != null && phase == Phase.CONFIRMED;
  }

  /// Acts on the order that it has read, unless that order is outdated.
  void act() {
    Desired order = read;
    read = null;
    if (order == null || !seen.yieldsTo(order.lead())) {
      return;
    }
    Task mine = task;
    if (mine == null || order.task().attempt() > mine.attempt()) {
      if (mine != null && !phase.isTerminal() && phase != Phase.PREPARING) {
        return;
      }
      task = order.task();
      phase = Phase.PREPARING;
      setback = Setback.NONE;
    } else if (order.task().attempt() < mine.attempt()) {
      return;
    }
    seen = order.lead();
    obey(order.goal());
  }

  private void obey(Goal goal) {
    stopped |= goal == Goal.ROLLED_BACK || goal == Goal.REVERTED;
    switch (goal) {
      case STAGED -> {}
      case APPLIED -> {
        if (phase == Phase.STAGED && !stopped) {
          phase = Phase.APPLYING;
          swaps++;
        }
      }
      case CONFIRMED -> {
        if (phase == Phase.SOAKED) {
          phase = Phase.CONFIRMED;
        }
      }
      case ROLLED_BACK -> back(Setback.ORDERED);
      case REVERTED -> {
        if (phase == Phase.CONFIRMED) {
          phase = Phase.REVERTED;
        } else {
          back(Setback.ORDERED);
        }
      }
      default -> throw new IllegalStateException("no goal: " + goal);
    }
  }

  private void back(Setback why) {
    if (!phase.isTerminal() && phase != Phase.ROLLING_BACK) {
      boolean ran = isUnconfirmed();
      phase = ran ? Phase.ROLLING_BACK : Phase.ROLLED_BACK;
      setback = why;
    }
  }

  /// Lets time pass; one step in `oneIn` goes wrong.
  void live(Random random, int oneIn) {
    boolean wrong = random.nextInt(oneIn) == 0;
    switch (phase) {
      case PREPARING -> {
        if (task != null && wrong) {
          back(random.nextBoolean() ? Setback.INFRASTRUCTURE : bad(Setback.REFUSED));
        } else if (task != null && !stopped) {
          phase = Phase.STAGED;
        }
      }
      case APPLYING -> phase = Phase.SOAKING;
      case SOAKING -> {
        if (wrong) {
          back(bad(Setback.UNHEALTHY));
        } else {
          phase = Phase.SOAKED;
        }
      }
      case SOAKED -> {
        if (wrong) {
          back(Setback.UNCONFIRMED);
        }
      }
      case ROLLING_BACK -> phase = Phase.ROLLED_BACK;
      case STAGED, CONFIRMED, ROLLED_BACK, REVERTED -> {}
    }
  }

  private Setback bad(Setback why) {
    complained = true;
    return why;
  }

  /// Null for a rollout that the node does not know.
  @Nullable NodeReport report() {
    Task mine = task;
    return mine == null
        ? null
        : new NodeReport(
            id, mine, phase, setback, seen, isConfirmed() ? Rollouts.NEW : Rollouts.OLD);
  }
}
