package keyfleet.watchdog;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.Quarantine;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import keyfleet.rollout.plan.NodeStatus.Health;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import keyfleet.wire.DesiredStateDocument;
import keyfleet.wire.NodeProfile;
import keyfleet.wire.NodeReportDocument;
import keyfleet.wire.RolloutKeys;
import org.jspecify.annotations.Nullable;

/// Reads a node's order from the store, and writes its report, its facts and its heartbeat there.
/// Each method may throw a [keyfleet.store.StoreException] and may then be called again.
final class NodeStoreClient {
  static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(30);

  private record StoredOrder(Revision revision, @Nullable DesiredState order) {}

  private final WatchdogIdentity identity;
  private final Kv kv;
  private final NodeClock clock;
  private final Key desiredKey;
  private final Key ownKey;
  private @Nullable StoredOrder storedOrder;
  private @Nullable NodeReport lastReport;
  private @Nullable NodeProfile lastProfile;
  private long heartbeatDue;

  NodeStoreClient(WatchdogIdentity identity, Kv kv, NodeClock clock) {
    this.identity = identity;
    this.kv = kv;
    this.clock = clock;
    this.heartbeatDue = clock.now().elapsed();
    this.desiredKey = RolloutKeys.desired(identity.component(), identity.node());
    this.ownKey = RolloutKeys.ofNode(identity.component(), identity.node());
  }

  /// The order as the store's leader has it. An order that cannot be parsed counts as none.
  Optional<DesiredState> readDesiredState() {
    Entry entry = kv.get(RolloutKeys.ROLLOUTS, desiredKey).orElse(null);
    if (entry == null) {
      return Optional.empty();
    }
    StoredOrder known = storedOrder;
    if (known == null || !known.revision.equals(entry.revision())) {
      known = new StoredOrder(entry.revision(), parse(entry.value()));
      storedOrder = known;
    }
    return Optional.ofNullable(known.order);
  }

  private static @Nullable DesiredState parse(Value value) {
    try {
      return DesiredStateDocument.parse(value);
    } catch (MalformedValueException e) {
      return null;
    }
  }

  /// Writes the report unless the store has it. It uses compare-and-set although no other process
  /// writes this key: an earlier write that got no answer may be applied late, and must not replace
  /// a newer report.
  StoreLink writeReport(NodeReport report) {
    if (report.equals(lastReport)) {
      return StoreLink.CONNECTED;
    }
    StoreLink link = writeIfChanged(RolloutKeys.REPORTS, NodeReportDocument.toValue(report));
    lastReport = link == StoreLink.CONNECTED ? report : null;
    return link;
  }

  /// Writes what the node reports about itself, unless the store has it. R17: this includes the
  /// releases it has rolled back.
  StoreLink writeProfile(Node node) {
    NodeProfile profile = new NodeProfile(identity.facts(), Quarantine.of(node));
    if (profile.equals(lastProfile)) {
      return StoreLink.CONNECTED;
    }
    StoreLink link = writeIfChanged(RolloutKeys.NODES, profile.toValue());
    lastProfile = link == StoreLink.CONNECTED ? profile : null;
    return link;
  }

  private StoreLink writeIfChanged(Bucket bucket, Value value) {
    Entry present = kv.get(bucket, ownKey).orElse(null);
    boolean isStored = present != null && present.value().equals(value);
    return isStored || write(bucket, present, value) instanceof WriteResult.Written
        ? StoreLink.CONNECTED
        : StoreLink.CUT_OFF;
  }

  private WriteResult write(Bucket bucket, @Nullable Entry present, Value value) {
    return present == null
        ? kv.create(bucket, ownKey, value)
        : kv.update(bucket, ownKey, value, present.revision());
  }

  /// Writes a heartbeat when one is due. After it, the report and the node's facts are checked
  /// again, so they are written again if the store lost them.
  StoreLink writeHeartbeat(Node node, ReleaseVersion version, Health health) {
    long now = clock.now().elapsed();
    if (now - heartbeatDue < 0) {
      return StoreLink.CONNECTED;
    }
    lastReport = null;
    lastProfile = null;
    WriteResult result = kv.put(RolloutKeys.STATUS, ownKey, heartbeat(node, version, health));
    if (!(result instanceof WriteResult.Written)) {
      return StoreLink.CUT_OFF;
    }
    heartbeatDue = now + HEARTBEAT_INTERVAL.toNanos();
    return StoreLink.CONNECTED;
  }

  /// When the next heartbeat is due, on the elapsed clock.
  long heartbeatDue() {
    return heartbeatDue;
  }

  private Value heartbeat(Node node, ReleaseVersion version, Health health) {
    String state =
        node instanceof Node.Tasked tasked
            ? Node.phase(tasked).name().toLowerCase(Locale.ROOT)
            : "idle";
    return Document.builder()
        .text("node", identity.node().value())
        .text("component", identity.component().value())
        .text("version", version.value())
        .text("release", Node.runningRelease(node).hex())
        .text("state", state)
        .number("protocol", identity.protocol())
        .number("degraded", health == Health.DEGRADED ? 1 : 0)
        .build()
        .toValue();
  }
}
