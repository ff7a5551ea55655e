package keyfleet.control.rollout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.controller.RolloutEvent.Observed;
import keyfleet.rollout.controller.RolloutRun;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.target.TargetMatch;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Revision;
import keyfleet.wire.NodeReportDocument;
import keyfleet.wire.RolloutKeys;

/// Reads what the nodes of a rollout show: their heartbeats, and their reports on its tasks.
final class NodeObserver {
  /// A malformed report counts as none: unknown is not ready.
  private record ParsedReport(Revision revision, List<NodeReport> report) {}

  private final Kv kv;
  private final Failpoints failpoints;
  private final NodeRegistry registry;
  private final Map<Key, ParsedReport> reports = new HashMap<>();

  NodeObserver(Kv kv, Failpoints failpoints) {
    this.kv = kv;
    this.failpoints = failpoints;
    this.registry = new NodeRegistry(kv, failpoints);
  }

  Observed observe(RolloutRun run) {
    Component component = run.spec().component();
    Map<NodeId, Entry> heartbeats = registry.readHeartbeats(component);
    int start = RolloutKeys.ofNodes(component).value().length();
    List<NodeReport> found = new ArrayList<>();
    for (Entry entry : listReports(component)) {
      NodeId node = new NodeId(entry.key().value().substring(start));
      report(entry).stream()
          .filter(it -> it.node().equals(node) && it.task().rollout().equals(run.spec().id()))
          .forEach(found::add);
    }
    return new Observed(heartbeats.keySet(), found, candidates(run, heartbeats));
  }

  private List<Entry> listReports(Component component) {
    return failpoints.at(
        Failpoint.REPORTS_LIST, () -> kv.list(RolloutKeys.REPORTS, RolloutKeys.ofNodes(component)));
  }

  /// R16: nodes that may start pass the same checks as in preflight. Usually there are none, and no
  /// profile is read.
  private List<NodeStatus> candidates(RolloutRun run, Map<NodeId, Entry> heartbeats) {
    Set<NodeId> nodes = run.startCandidates(heartbeats.keySet());
    if (nodes.isEmpty()) {
      return List.of();
    }
    Map<NodeId, Entry> profiles = registry.readProfiles(run.spec().component());
    Set<NodeId> planned = run.spec().allNodes();
    return nodes.stream()
        .map(it -> NodeRegistry.status(it, heartbeats.get(it), profiles.get(it)))
        .filter(it -> planned.contains(it.node()) || isTargeted(run, it))
        .toList();
  }

  private static boolean isTargeted(RolloutRun run, NodeStatus status) {
    return run.spec().eligibility().match(status) != TargetMatch.NO;
  }

  private List<NodeReport> report(Entry entry) {
    ParsedReport parsed = reports.get(entry.key());
    if (parsed == null || !parsed.revision().equals(entry.revision())) {
      parsed = new ParsedReport(entry.revision(), parse(entry));
      reports.put(entry.key(), parsed);
    }
    return parsed.report();
  }

  private static List<NodeReport> parse(Entry entry) {
    try {
      return List.of(NodeReportDocument.parse(entry.value()));
    } catch (MalformedValueException e) {
      return List.of();
    }
  }
}
