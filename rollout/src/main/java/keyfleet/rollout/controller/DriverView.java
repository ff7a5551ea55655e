package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.plan.NodeStatus;

/// What one driver sees and remembers: which nodes are present, what they reported, and how long it
/// has waited for each. It is never stored. A new driver begins without it, so its waits run in
/// full on its own clock.
///
/// @param observed whether the driver has observed the fleet at all; before that no node counts as
///   present or absent
/// @param observedAt when it last observed the fleet
/// @param candidates the statuses of the present nodes that may start
/// @param waitingSince the last time at which a node got a step, appeared or disappeared
/// @param lastBatchPassedAt when the previous batch passed
public record DriverView(
    boolean observed,
    Duration observedAt,
    Set<NodeId> present,
    Map<NodeId, NodeReport> reports,
    Map<NodeId, NodeStatus> candidates,
    Map<NodeId, Duration> waitingSince,
    Duration lastBatchPassedAt) {
  public DriverView {
    present = Set.copyOf(present);
    reports = Map.copyOf(reports);
    candidates = Map.copyOf(candidates);
    waitingSince = Map.copyOf(waitingSince);
  }

  public static DriverView empty(Duration now) {
    return new DriverView(false, now, Set.of(), Map.of(), Map.of(), Map.of(), now);
  }

  /// Whether the driver may judge by this view. After a gap (its machine slept, or the store was
  /// unavailable) it cannot tell which nodes were reachable, so it observes first and waits in full
  /// again.
  boolean isFresh(Duration now, Duration stale) {
    return observed && now.minus(observedAt).compareTo(stale) <= 0;
  }
}
