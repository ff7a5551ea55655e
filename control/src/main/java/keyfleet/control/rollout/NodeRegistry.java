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

/// Reads the nodes of a component: their heartbeats, which expire, and their profiles, which stay.
public final class NodeRegistry {
  private final Kv kv;
  private final Failpoints failpoints;

  public NodeRegistry(Kv kv, Failpoints failpoints) {
    this.kv = kv;
    this.failpoints = failpoints;
  }

  /// All nodes that have ever written a profile or have a heartbeat.
  public List<NodeStatus> readInventory(Component component) {
    Map<NodeId, Entry> heartbeats = readHeartbeats(component);
    Map<NodeId, Entry> profiles = readProfiles(component);
    TreeSet<NodeId> nodes = new TreeSet<>(heartbeats.keySet());
    nodes.addAll(profiles.keySet());
    List<NodeStatus> statuses = new ArrayList<>();
    nodes.forEach(node -> statuses.add(status(node, heartbeats.get(node), profiles.get(node))));
    return statuses;
  }

  Map<NodeId, Entry> readHeartbeats(Component component) {
    return listByNode(Failpoint.STATUS_LIST, RolloutKeys.STATUS, component);
  }

  Map<NodeId, Entry> readProfiles(Component component) {
    return listByNode(Failpoint.NODES_LIST, RolloutKeys.NODES, component);
  }

  private Map<NodeId, Entry> listByNode(Failpoint point, Bucket bucket, Component component) {
    int start = RolloutKeys.ofNodes(component).value().length();
    Map<NodeId, Entry> entries = new TreeMap<>();
    for (Entry entry :
        failpoints.at(point, () -> kv.list(bucket, RolloutKeys.ofNodes(component)))) {
      entries.put(new NodeId(entry.key().value().substring(start)), entry);
    }
    return entries;
  }

  /// An offline node has only its profile. Without a profile, nothing is known about the node.
  static NodeStatus status(NodeId node, @Nullable Entry heartbeat, @Nullable Entry profile) {
    Presence presence = heartbeat == null ? Presence.OFFLINE : Presence.ONLINE;
    try {
      NodeProfile parsed = profile == null ? NodeProfile.EMPTY : NodeProfile.parse(profile.value());
      Report report =
          heartbeat == null ? new Missing() : report(Document.parse(heartbeat.value()), parsed);
      return new NodeStatus(node, presence, report, parsed.facts());
    } catch (MalformedValueException e) {
      return new NodeStatus(node, presence, new Unreadable(), Facts.NONE);
    }
  }

  private static Report report(Document heartbeat, NodeProfile profile) {
    return heartbeat.as(it ->
        new Reported(
            it.number("degraded") == 0 ? Health.HEALTHY : Health.DEGRADED,
            DocumentFields.count(it, "protocol"),
            it.has("version") ? new ReleaseVersion(it.text("version")) : ReleaseVersion.NONE,
            profile.quarantine()));
  }
}
