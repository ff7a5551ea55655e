package keyfleet.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RolloutEvent.Observed;
import keyfleet.rollout.Run;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.MalformedException;
import keyfleet.store.Revision;

/// What the nodes of a rollout show: who beats, and what each says of its task.
final class FleetView {
  /// A report that cannot be understood is none: unknown is not ready.
  private record Read(Revision revision, List<NodeReport> report) {}

  private final Kv kv;
  private final Failpoints failpoints;
  private final Map<Key, Read> reports = new HashMap<>();

  FleetView(Kv kv, Failpoints failpoints) {
    this.kv = kv;
    this.failpoints = failpoints;
  }

  Observed look(Run run) {
    Component component = run.spec().component();
    int start = RolloutKeys.ofNodes(component).value().length();
    Set<NodeId> present = new HashSet<>();
    for (Entry beat : list(Failpoint.STATUS_LIST, RolloutKeys.STATUS, component)) {
      present.add(new NodeId(beat.key().value().substring(start)));
    }
    List<NodeReport> said = new ArrayList<>();
    for (Entry entry : list(Failpoint.REPORTS_LIST, RolloutKeys.REPORTS, component)) {
      NodeId node = new NodeId(entry.key().value().substring(start));
      if (run.ledger().places().containsKey(node)) {
        report(entry).stream().filter(it -> it.node().equals(node)).forEach(said::add);
      }
    }
    return new Observed(present, said);
  }

  private List<Entry> list(Failpoint point, Bucket bucket, Component component) {
    return failpoints.at(point, () -> kv.list(bucket, RolloutKeys.ofNodes(component)));
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
