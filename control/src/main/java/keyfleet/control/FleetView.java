package keyfleet.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.rollout.Component;
import keyfleet.rollout.Match;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.NodeStatus;
import keyfleet.rollout.Place;
import keyfleet.rollout.RolloutEvent.Observed;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.RolloutSpec;
import keyfleet.rollout.Run;
import keyfleet.rollout.Standing;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.MalformedException;
import keyfleet.store.Revision;

/// What the nodes of a rollout show: who beats, and what each says of its task.
final class FleetView {
  /// A report that cannot be understood is none: unknown is not ready.
  private record Read(Revision revision, List<NodeReport> report) {}

  /// How many rollouts are remembered, for a process that lives for years.
  private static final int MAX_REMEMBERED = 1_000;

  private final Kv kv;
  private final Failpoints failpoints;
  private final NodeRegister register;
  private final Map<Key, Read> reports = new HashMap<>();
  private final Map<RolloutId, Set<NodeId>> decided = new HashMap<>();

  FleetView(Kv kv, Failpoints failpoints) {
    this.kv = kv;
    this.failpoints = failpoints;
    this.register = new NodeRegister(kv, failpoints);
  }

  Observed look(Run run) {
    Component component = run.spec().component();
    Map<NodeId, Entry> beats = register.beats(component);
    int start = RolloutKeys.ofNodes(component).value().length();
    List<NodeReport> said = new ArrayList<>();
    for (Entry entry : reports(component)) {
      NodeId node = new NodeId(entry.key().value().substring(start));
      report(entry).stream()
          .filter(it -> it.node().equals(node) && it.task().rollout().equals(run.spec().id()))
          .forEach(said::add);
    }
    return new Observed(beats.keySet(), said, late(run, beats));
  }

  private List<Entry> reports(Component component) {
    return failpoints.at(
        Failpoint.REPORTS_LIST, () -> kv.list(RolloutKeys.REPORTS, RolloutKeys.ofNodes(component)));
  }

  /// R16: who beats, is in no batch, and has not begun. Mostly there is nobody, and no card is
  /// read.
  private List<NodeStatus> late(Run run, Map<NodeId, Entry> beats) {
    List<NodeId> nodes = beats.keySet().stream().filter(it -> isLate(run, it)).toList();
    if (nodes.isEmpty()) {
      return List.of();
    }
    Map<NodeId, Entry> cards = register.cards(run.spec().component());
    return nodes.stream()
        .map(it -> NodeRegister.status(it, beats.get(it), cards.get(it)))
        .filter(it -> run.spec().admission().match(it) != Match.NO)
        .toList();
  }

  private boolean isLate(Run run, NodeId node) {
    Place place = run.ledger().places().get(node);
    return place == null
        ? !decided(run.spec()).contains(node)
        : place.standing() == Standing.PENDING_OFFLINE;
  }

  private Set<NodeId> decided(RolloutSpec spec) {
    if (decided.size() >= MAX_REMEMBERED) {
      decided.clear();
    }
    return decided.computeIfAbsent(spec.id(), _ -> spec.decided());
  }

  private List<NodeReport> report(Entry entry) {
    Read known = reports.get(entry.key());
    if (known == null || !known.revision().equals(entry.revision())) {
      known = new Read(entry.revision(), decoded(entry));
      reports.put(entry.key(), known);
    }
    return known.report();
  }

  private static List<NodeReport> decoded(Entry entry) {
    try {
      return List.of(NodeReportDocument.read(entry.value()));
    } catch (MalformedException e) {
      return List.of();
    }
  }
}
