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

/// What the nodes of a rollout show: who beats, and what each says of its task.
final class NodeObserver {
  /// A report that cannot be understood is none: unknown is not ready.
  private record ParsedReport(Revision revision, List<NodeReport> report) {}

  private final Kv kv;
  private final Failpoints failpoints;
  private final NodeRegistry register;
  private final Map<Key, ParsedReport> reports = new HashMap<>();

  NodeObserver(Kv kv, Failpoints failpoints) {
    this.kv = kv;
    this.failpoints = failpoints;
    this.register = new NodeRegistry(kv, failpoints);
  }

  Observed look(RolloutRun rolloutRun) {
    Component component = rolloutRun.spec().component();
    Map<NodeId, Entry> beats = register.beats(component);
    int start = RolloutKeys.ofNodes(component).value().length();
    List<NodeReport> said = new ArrayList<>();
    for (Entry entry : reports(component)) {
      NodeId node = new NodeId(entry.key().value().substring(start));
      report(entry).stream()
          .filter(
              it -> it.node().equals(node) && it.task().rollout().equals(rolloutRun.spec().id()))
          .forEach(said::add);
    }
    return new Observed(beats.keySet(), said, candidates(rolloutRun, beats));
  }

  private List<Entry> reports(Component component) {
    return failpoints.at(
        Failpoint.REPORTS_LIST, () -> kv.list(RolloutKeys.REPORTS, RolloutKeys.ofNodes(component)));
  }

  /// R16: who may begin is asked what preflight asked. Mostly there is nobody, and no card is read.
  private List<NodeStatus> candidates(RolloutRun rolloutRun, Map<NodeId, Entry> beats) {
    Set<NodeId> nodes = rolloutRun.startCandidates(beats.keySet());
    if (nodes.isEmpty()) {
      return List.of();
    }
    Map<NodeId, Entry> cards = register.cards(rolloutRun.spec().component());
    Set<NodeId> planned = rolloutRun.spec().allNodes();
    return nodes.stream()
        .map(it -> NodeRegistry.status(it, beats.get(it), cards.get(it)))
        .filter(it -> planned.contains(it.node()) || isTaken(rolloutRun, it))
        .toList();
  }

  private static boolean isTaken(RolloutRun rolloutRun, NodeStatus status) {
    return rolloutRun.spec().eligibility().match(status) != TargetMatch.NO;
  }

  private List<NodeReport> report(Entry entry) {
    ParsedReport known = reports.get(entry.key());
    if (known == null || !known.revision().equals(entry.revision())) {
      known = new ParsedReport(entry.revision(), decoded(entry));
      reports.put(entry.key(), known);
    }
    return known.report();
  }

  private static List<NodeReport> decoded(Entry entry) {
    try {
      return List.of(NodeReportDocument.read(entry.value()));
    } catch (MalformedValueException e) {
      return List.of();
    }
  }
}
