package keyfleet.control.rollout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.plan.NodeStatus.Health;
import keyfleet.rollout.plan.NodeStatus.Missing;
import keyfleet.rollout.plan.NodeStatus.Presence;
import keyfleet.rollout.plan.NodeStatus.Report;
import keyfleet.rollout.plan.NodeStatus.Reported;
import keyfleet.rollout.plan.NodeStatus.Unreadable;
import keyfleet.rollout.target.Facts;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.wire.DocumentFields;
import keyfleet.wire.NodeProfile;
import keyfleet.wire.RolloutKeys;
import org.jspecify.annotations.Nullable;

/// The nodes of a component as they show themselves: by a beat while they are there, by a card for
/// as long as the store lives.
public final class NodeRegistry {
  private final Kv kv;
  private final Failpoints failpoints;

  public NodeRegistry(Kv kv, Failpoints failpoints) {
    this.kv = kv;
    this.failpoints = failpoints;
  }

  /// Everyone who was ever there.
  public List<NodeStatus> inventory(Component component) {
    Map<NodeId, Entry> beats = beats(component);
    Map<NodeId, Entry> cards = cards(component);
    TreeSet<NodeId> nodes = new TreeSet<>(beats.keySet());
    nodes.addAll(cards.keySet());
    List<NodeStatus> statuses = new ArrayList<>();
    nodes.forEach(node -> statuses.add(status(node, beats.get(node), cards.get(node))));
    return statuses;
  }

  Map<NodeId, Entry> beats(Component component) {
    return byNode(Failpoint.STATUS_LIST, RolloutKeys.STATUS, component);
  }

  Map<NodeId, Entry> cards(Component component) {
    return byNode(Failpoint.NODES_LIST, RolloutKeys.NODES, component);
  }

  private Map<NodeId, Entry> byNode(Failpoint point, Bucket bucket, Component component) {
    int start = RolloutKeys.ofNodes(component).value().length();
    Map<NodeId, Entry> entries = new TreeMap<>();
    for (Entry entry :
        failpoints.at(point, () -> kv.list(bucket, RolloutKeys.ofNodes(component)))) {
      entries.put(new NodeId(entry.key().value().substring(start)), entry);
    }
    return entries;
  }

  /// Of a node that is away only its card counts; of one that never wrote a card no fact is known.
  static NodeStatus status(NodeId node, @Nullable Entry beat, @Nullable Entry card) {
    Presence presence = beat == null ? Presence.OFFLINE : Presence.ONLINE;
    try {
      NodeProfile said = card == null ? NodeProfile.BLANK : NodeProfile.read(card.value());
      Report report = beat == null ? new Missing() : report(Document.parse(beat.value()), said);
      return new NodeStatus(node, presence, report, said.facts());
    } catch (MalformedValueException e) {
      return new NodeStatus(node, presence, new Unreadable(), Facts.NONE);
    }
  }

  private static Report report(Document beat, NodeProfile card) {
    return beat.as(it ->
        new Reported(
            it.number("degraded") == 0 ? Health.HEALTHY : Health.DEGRADED,
            DocumentFields.count(it, "protocol"),
            it.has("version") ? new ReleaseVersion(it.text("version")) : ReleaseVersion.NONE,
            card.quarantine()));
  }
}
