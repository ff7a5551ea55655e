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

/// Rebuilds a ledger from reports after the store has lost decisions (R24). A node obeys only
/// decisions, so what it reports beyond the ledger must have been in the ledger once.
final class ProgressRecovery {
  private final RolloutRun run;
  private final Set<NodeId> passed = new HashSet<>();

  ProgressRecovery(RolloutRun run) {
    this.run = run;
    for (int batch = 0; batch < run.ledger().passed(); batch++) {
      passed.addAll(run.spec().batch(batch));
    }
  }

  boolean isBehind(List<NodeReport> reports) {
    return reports.stream().anyMatch(this::isAhead);
  }

  /// This marks no node as failed: the same reports decide that when the rollout is resumed.
  RolloutRun recovered(List<NodeReport> reports, Duration now) {
    Map<NodeId, NodeEntry> places = new TreeMap<>(run.ledger().places());
    reports.stream().filter(this::isAhead).forEach(it -> places.put(it.node(), place(it)));
    RolloutProgress was = run.ledger();
    RolloutProgress ledger =
        new RolloutProgress(was.passed(), was.kept(), new TreeMap<>(places), was.excluded());
    return new RolloutRun(run.spec(), run.lead(), ledger, DriverView.blank(now));
  }

  private boolean isAhead(NodeReport report) {
    return report.task().rollout().equals(run.spec().id())
        && isAhead(report, run.ledger().places().get(report.node()));
  }

  private boolean isAhead(NodeReport report, @Nullable NodeEntry place) {
    if (place == null) {
      return !passed.contains(report.node());
    }
    int attempt = report.task().attempt();
    if (attempt != place.attempt()) {
      return attempt > place.attempt();
    }
    return switch (place.standing()) {
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

  private static NodeEntry place(NodeReport report) {
    NodeProgress standing =
        switch (report.phase()) {
          case PREPARING, STAGED, ROLLED_BACK -> NodeProgress.PREPARING;
          case APPLYING, SOAKING, SOAKED, ROLLING_BACK -> NodeProgress.APPLYING;
          case CONFIRMED -> NodeProgress.CONFIRMED;
          case REVERTED -> NodeProgress.REVERTED;
        };
    return new NodeEntry(standing, report.task().attempt());
  }
}
