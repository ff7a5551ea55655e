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
  static final Duration BEAT_EVERY = Duration.ofSeconds(30);

  private record StoredOrder(Revision revision, @Nullable DesiredState desiredState) {}

  private final WatchdogIdentity self;
  private final Kv kv;
  private final NodeClock host;
  private final Key desiredKey;
  private final Key ownKey;
  private @Nullable StoredOrder order;
  private @Nullable NodeReport told;
  private @Nullable NodeProfile shown;
  private long beatDue;

  NodeStoreClient(WatchdogIdentity self, Kv kv, NodeClock host) {
    this.self = self;
    this.kv = kv;
    this.host = host;
    this.beatDue = host.clockReading().elapsed();
    this.desiredKey = RolloutKeys.desired(self.component(), self.node());
    this.ownKey = RolloutKeys.ofNode(self.component(), self.node());
  }

  /// The order as the store's leader has it. An order that cannot be parsed counts as none.
  Optional<DesiredState> desiredState() {
    Entry entry = kv.get(RolloutKeys.ROLLOUTS, desiredKey).orElse(null);
    if (entry == null) {
      return Optional.empty();
    }
    StoredOrder known = order;
    if (known == null || !known.revision.equals(entry.revision())) {
      known = new StoredOrder(entry.revision(), decoded(entry.value()));
      order = known;
    }
    return Optional.ofNullable(known.desiredState);
  }

  private static @Nullable DesiredState decoded(Value value) {
    try {
      return DesiredDocument.parse(value);
    } catch (MalformedValueException e) {
      return null;
    }
  }

  /// Writes the report unless the store has it. It uses compare-and-set although no other process
  /// writes this key: a write of ours that got no answer may be applied late and must not undo a
  /// newer one.
  StoreLink tell(NodeReport report) {
    if (report.equals(told)) {
      return StoreLink.CONNECTED;
    }
    StoreLink storeLink = keep(RolloutKeys.REPORTS, NodeReportDocument.toValue(report));
    told = storeLink == StoreLink.CONNECTED ? report : null;
    return storeLink;
  }

  /// Writes what the node reports about itself, unless the store has it. R17: this includes the
  /// releases it has rolled back.
  StoreLink show(Node node) {
    NodeProfile card = new NodeProfile(self.facts(), Quarantine.of(node));
    if (card.equals(shown)) {
      return StoreLink.CONNECTED;
    }
    StoreLink storeLink = keep(RolloutKeys.NODES, card.toValue());
    shown = storeLink == StoreLink.CONNECTED ? card : null;
    return storeLink;
  }

  private StoreLink keep(Bucket bucket, Value value) {
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
  StoreLink beat(Node node, ReleaseVersion releaseVersion, Health health) {
    long now = host.clockReading().elapsed();
    if (now - beatDue < 0) {
      return StoreLink.CONNECTED;
    }
    told = null;
    shown = null;
    WriteResult writeResult =
        kv.put(RolloutKeys.STATUS, ownKey, sign(node, releaseVersion, health));
    if (!(writeResult instanceof WriteResult.Written)) {
      return StoreLink.CUT_OFF;
    }
    beatDue = now + BEAT_EVERY.toNanos();
    return StoreLink.CONNECTED;
  }

  /// When the next heartbeat is due, on the elapsed clock.
  long beatDue() {
    return beatDue;
  }

  private Value sign(Node node, ReleaseVersion releaseVersion, Health health) {
    String state =
        node instanceof Node.Tasked tasked
            ? Node.phase(tasked).name().toLowerCase(Locale.ROOT)
            : "idle";
    return Document.builder()
        .text("node", self.node().value())
        .text("component", self.component().value())
        .text("version", releaseVersion.value())
        .text("release", Node.runningRelease(node).hex())
        .text("state", state)
        .number("protocol", self.protocol())
        .number("degraded", health == Health.DEGRADED ? 1 : 0)
        .build()
        .toValue();
  }
}
