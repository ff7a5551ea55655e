package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;

/// A rollout with what its driver knows, whatever its state.
public record RolloutRun(
    RolloutSpec spec, DriverClaim claim, RolloutProgress progress, DriverView driverView) {
  /// A new rollout, or one read from a store by a process that does not drive it yet.
  public static RolloutRun of(RolloutSpec spec, DriverClaim claim, RolloutProgress progress) {
    return new RolloutRun(spec, claim, progress, DriverView.empty(Duration.ZERO));
  }

  /// The same stored rollout with this driver's own memory.
  public RolloutRun withDriverView(DriverView view) {
    return new RolloutRun(spec, claim, progress, view);
  }

  /// The present nodes that may start according to the decisions so far, and whose status is
  /// therefore checked again as in preflight (R16).
  public Set<NodeId> startCandidates(Set<NodeId> present) {
    Set<NodeId> decided = spec.decidedNodes();
    if (progress.passedBatches() < spec.batchCount()) {
      spec.batch(progress.passedBatches()).forEach(decided::remove);
    }
    return present.stream()
        .filter(node -> {
          NodeEntry entry = progress.entries().get(node);
          return entry == null ? !decided.contains(node) : entry.progress().canStart();
        })
        .collect(Collectors.toSet());
  }

  /// A driver takes over. This fails no node (I1): the progress stays, and every wait starts again.
  RolloutRun withClaim(DriverClaim next, Duration now) {
    return claim.epoch() < next.epoch()
        ? new RolloutRun(spec, next, progress, DriverView.empty(now))
        : this;
  }

  /// A rollout that is over waits for nothing.
  RolloutRun withoutDriverView() {
    return of(spec, claim, progress);
  }
}
