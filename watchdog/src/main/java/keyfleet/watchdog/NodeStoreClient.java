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
import keyfleet.wire.DesiredDocument;
import keyfleet.wire.NodeProfile;
import keyfleet.wire.NodeReportDocument;
import keyfleet.wire.RolloutKeys;
import org.jspecify.annotations.Nullable;

/// Reads a node's order from the store, and writes its report, its facts and its heartbeat there.
/// Each method may throw a [keyfleet.store.StoreException] and may then be called again.
final class NodeStoreClient {
  static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(30);

  private record StoredOrder(Revision revision, @Nullable DesiredState desiredState) {}

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
    this.heartbeatDue = clock.clockReading().elapsed();
    this.desiredKey = RolloutKeys.desired(identity.component(), identity.node());
    this.ownKey = RolloutKeys.ofNode(identity.component(), identity.node());
  }

  /// The order as the store's leader has it. An order that cannot be parsed counts as none.
  Optional<DesiredState> desiredState() {
    Entry entry = kv.get(RolloutKeys.ROLLOUTS, desiredKey).orElse(null);
    if (entry == null) {
      return Optional.empty();
    }
    StoredOrder known = storedOrder;
    if (known == null || !known.revision.equals(entry.revision())) {
      known = new StoredOrder(entry.revision(), parse(entry.value()));
      storedOrder = known;
    }
    return Optional.ofNullable(known.desiredState);
  }

  private static @Nullable DesiredState parse(Value value) {
    try {
      return DesiredDocument.parse(value);
    } catch (MalformedValueException e) {
      return null;
    }
  }

  /// Writes the report unless the store has it. It uses compare-and-set although no other process
  /// writes this key: a write of ours that got no answer may be applied late and must not undo a
  /// newer one.
  StoreLink writeReport(NodeReport report) {
    if (report.equals(lastReport)) {
      return StoreLink.CONNECTED;
    }
    StoreLink storeLink = writeIfChanged(RolloutKeys.REPORTS, NodeReportDocument.toValue(report));
    lastReport = storeLink == StoreLink.CONNECTED ? report : null;
    return storeLink;
  }

  /// Writes what the node reports about itself, unless the store has it. R17: this includes the
  /// releases it has rolled back.
  StoreLink writeProfile(Node node) {
    NodeProfile card = new NodeProfile(identity.facts(), Quarantine.of(node));
    if (card.equals(lastProfile)) {
      return StoreLink.CONNECTED;
    }
    StoreLink storeLink = writeIfChanged(RolloutKeys.NODES, card.toValue());
    lastProfile = storeLink == StoreLink.CONNECTED ? card : null;
    return storeLink;
  }

  private StoreLink writeIfChanged(Bucket bucket, Value value) {
    Entry present = kv.get(bucket, ownKey).orElse(null);
    boolean there = present != null && present.value().equals(value);
    return there || write(bucket, present, value) instanceof WriteResult.Written
        ? StoreLink.CONNECTED
        : StoreLink.CUT_OFF;
  }

  private WriteResult write(Bucket bucket, @Nullable Entry present, Value value) {
    return present == null
        ? kv.create(bucket, ownKey, value)
        : kv.update(bucket, ownKey, value, present.revision());
  }

  /// Writes a heartbeat when one is due. After it, the report and the node's facts are checked
  /// again, so a store that lost them gets them back.
  StoreLink writeHeartbeat(Node node, ReleaseVersion releaseVersion, Health health) {
    long now = clock.clockReading().elapsed();
    if (now - heartbeatDue < 0) {
      return StoreLink.CONNECTED;
    }
    lastReport = null;
    lastProfile = null;
    WriteResult writeResult =
        kv.put(RolloutKeys.STATUS, ownKey, heartbeat(node, releaseVersion, health));
    if (!(writeResult instanceof WriteResult.Written)) {
      return StoreLink.CUT_OFF;
    }
    heartbeatDue = now + HEARTBEAT_INTERVAL.toNanos();
    return StoreLink.CONNECTED;
  }

  /// When the next heartbeat is due, on the elapsed clock.
  long heartbeatDue() {
    return heartbeatDue;
  }

  private Value heartbeat(Node node, ReleaseVersion releaseVersion, Health health) {
    String state =
        node instanceof Node.Tasked tasked
            ? Node.phase(tasked).name().toLowerCase(Locale.ROOT)
            : "idle";
    return Document.builder()
        .text("node", identity.node().value())
        .text("component", identity.component().value())
        .text("version", releaseVersion.value())
        .text("release", Node.runningRelease(node).hex())
        .text("state", state)
        .number("protocol", identity.protocol())
        .number("degraded", health == Health.DEGRADED ? 1 : 0)
        .build()
        .toValue();
  }
}
