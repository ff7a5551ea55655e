package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import org.jspecify.annotations.Nullable;

/// Rebuilds the progress of a rollout from reports after the store has lost decisions (R24). A node
/// obeys only decisions, so what it reports beyond the stored progress must have been stored once.
final class ProgressRecovery {
  private final RolloutRun run;
  private final Set<NodeId> passedNodes = new HashSet<>();

  ProgressRecovery(RolloutRun run) {
    this.run = run;
    for (int batch = 0; batch < run.progress().passedBatches(); batch++) {
      passedNodes.addAll(run.spec().batch(batch));
    }
  }

  boolean hasLostDecisions(List<NodeReport> reports) {
    return reports.stream().anyMatch(this::isAheadOfStore);
  }

  /// This marks no node as failed: the same reports decide that when the rollout is resumed.
  RolloutRun recover(List<NodeReport> reports, Duration now) {
    Map<NodeId, NodeEntry> entries = new TreeMap<>(run.progress().entries());
    reports.stream()
        .filter(this::isAheadOfStore)
        .forEach(it -> entries.put(it.node(), entryFrom(it)));
    RolloutProgress progressBefore = run.progress();
    RolloutProgress progress =
        new RolloutProgress(
            progressBefore.passedBatches(),
            progressBefore.keptBatches(),
            new TreeMap<>(entries),
            progressBefore.excluded());
    return new RolloutRun(run.spec(), run.claim(), progress, DriverView.empty(now));
  }

  private boolean isAheadOfStore(NodeReport report) {
    return report.task().rollout().equals(run.spec().id())
        && isAheadOfStore(report, run.progress().entries().get(report.node()));
  }

  private boolean isAheadOfStore(NodeReport report, @Nullable NodeEntry entry) {
    if (entry == null) {
      return !passedNodes.contains(report.node());
    }
    int attempt = report.task().attempt();
    if (attempt != entry.attempt()) {
      return attempt > entry.attempt();
    }
    return switch (entry.progress()) {
      case PENDING, PENDING_OFFLINE, WAITING -> true;
      case PREPARING -> isBeyondStaging(report.phase());
      case EXCLUDED, OCCUPIED, APPLYING, CONFIRMING, CONFIRMED, FAILING, FAILED, LOST -> false;
      case RECALLING, RECALLED, REVERTING, REVERTED, KEPT, FORGOTTEN -> false;
    };
  }

  private static boolean isBeyondStaging(NodePhase phase) {
    return switch (phase) {
      case PREPARING, STAGED, ROLLING_BACK, ROLLED_BACK -> false;
      case APPLYING, SOAKING, SOAKED, CONFIRMED, REVERTED -> true;
    };
  }

  private static NodeEntry entryFrom(NodeReport report) {
    NodeProgress progress =
        switch (report.phase()) {
          case PREPARING, STAGED, ROLLED_BACK -> NodeProgress.PREPARING;
          case APPLYING, SOAKING, SOAKED, ROLLING_BACK -> NodeProgress.APPLYING;
          case CONFIRMED -> NodeProgress.CONFIRMED;
          case REVERTED -> NodeProgress.REVERTED;
        };
    return new NodeEntry(progress, report.task().attempt());
  }
}
