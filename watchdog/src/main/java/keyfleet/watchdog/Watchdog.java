package keyfleet.watchdog;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.NodeAction;
import keyfleet.rollout.node.NodeAction.CheckRules;
import keyfleet.rollout.node.NodeAction.Discard;
import keyfleet.rollout.node.NodeAction.Download;
import keyfleet.rollout.node.NodeAction.Nothing;
import keyfleet.rollout.node.NodeAction.Swap;
import keyfleet.rollout.node.NodeAction.SwapBack;
import keyfleet.rollout.node.NodeBaseline;
import keyfleet.rollout.node.NodeEvent;
import keyfleet.rollout.node.NodeEvent.FetchFailed;
import keyfleet.rollout.node.NodeEvent.Fetched;
import keyfleet.rollout.node.NodeEvent.OrderReceived;
import keyfleet.rollout.node.NodeEvent.Probed;
import keyfleet.rollout.node.NodeEvent.RulesChecked;
import keyfleet.rollout.node.NodeEvent.Swapped;
import keyfleet.rollout.node.NodeEvent.Ticked;
import keyfleet.rollout.node.NodeEvent.Undone;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;

/// The loop of one node: order, decision, journal, one effect, journal, report. Used by one thread.
public final class Watchdog {
  /// How soon work in progress, or failed work, is tried again.
  static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

  private final WatchdogIdentity identity;
  private final WatchdogPorts ports;
  private final NodeStoreClient store;
  private final NodeJournal journal;
  private long tickedAt;

  public Watchdog(WatchdogIdentity identity, Kv kv, WatchdogPorts ports) {
    this.identity = identity;
    this.ports = ports;
    this.store = new NodeStoreClient(identity, kv, ports.clock());
    this.journal = new NodeJournal(ports.journal(), ports.clock());
    this.tickedAt = ports.clock().now().elapsed() - RETRY_INTERVAL.toNanos();
  }

  /// Runs one turn. The turn works without the store. It ends with a [LocalFailureException] if the
  /// node's own disk or software fails.
  public void tick() {
    tickedAt = ports.clock().now().elapsed();
    Node node = journal.apply(node(), new Ticked());
    Optional<DesiredState> order = Optional.empty();
    StoreLink link = StoreLink.CUT_OFF;
    try {
      order = store.readDesiredState();
      link = StoreLink.CONNECTED;
    } catch (StoreException e) {
      // Cut off from the store: there is no order, and time passes without counting for the soak
      // (R10).
    }
    if (order.isPresent()) {
      node = journal.apply(node, new OrderReceived(order.get()));
    }
    link = writeStatus(node, link);
    Optional<NodeEvent> outcome = execute(Node.nextAction(node), node, link);
    if (outcome.isPresent()) {
      writeStatus(journal.apply(node, outcome.get()), link);
    }
  }

  /// When to tick next at the latest, on the elapsed clock. What the last tick could not do,
  /// because the store or the disk was unavailable, is tried again soon, not at once.
  public long wakeAt() {
    Node node = node();
    long heartbeat = store.heartbeatDue();
    long soon = tickedAt + RETRY_INTERVAL.toNanos();
    long wake = earliest(heartbeat, Node.wakeAt(node).orElse(heartbeat));
    long due = wake - tickedAt > 0 ? wake : soon;
    return switch (Node.nextAction(node)) {
      case Nothing _, NodeAction.Probe _ -> due;
      case Download _, CheckRules _, Swap _, SwapBack _, Discard _ -> earliest(due, soon);
    };
  }

  private static long earliest(long one, long other) {
    return one - other < 0 ? one : other;
  }

  private Node node() {
    return journal.open(() ->
        new Node.Idle(
            NodeBaseline.of(identity.node(), identity.component(), ports.slots().running())));
  }

  /// Writes the node's facts, heartbeat and report if the store was available a moment ago, and
  /// returns whether it still is.
  private StoreLink writeStatus(Node node, StoreLink link) {
    if (link == StoreLink.CUT_OFF) {
      return link;
    }
    try {
      StoreLink reached = store.writeProfile(node);
      if (reached == StoreLink.CONNECTED) {
        reached =
            store.writeHeartbeat(node, ports.slots().runningVersion(), ports.probe().health());
      }
      Optional<NodeReport> report = Node.report(node);
      return reached == StoreLink.CONNECTED && report.isPresent()
          ? store.writeReport(report.get())
          : reached;
    } catch (StoreException e) {
      return StoreLink.CUT_OFF;
    }
  }

  /// Performs the one action that is due and returns its result.
  private Optional<NodeEvent> execute(NodeAction action, Node node, StoreLink link) {
    ReleaseSlots slots = ports.slots();
    return switch (action) {
      case Nothing _ -> {
        freeUnusedSlot(Node.keptReleases(node));
        yield Optional.empty();
      }
      case Download download -> fetch(download);
      case CheckRules(var attemptId, var release) ->
          Optional.of(
              slots.running().equals(release)
                  ? new Swapped(attemptId)
                  : new RulesChecked(attemptId, ports.fetcher().checkRules(release)));
      case Swap(var attemptId, var release) -> {
        slots.activate(release);
        yield Optional.of(new Swapped(attemptId));
      }
      case SwapBack(var attemptId, var release) -> {
        slots.activate(release);
        yield Optional.of(new Undone(attemptId));
      }
      case Discard(var attemptId, var release) -> {
        slots.discard(release);
        yield Optional.of(new Undone(attemptId));
      }
      case NodeAction.Probe _ -> Optional.of(new Probed(ports.probe().probe(), link));
    };
  }

  private Optional<NodeEvent> fetch(Download download) {
    return switch (ports.fetcher().fetch(download.release())) {
      case FetchStatus.InProgress _ -> Optional.empty();
      case FetchStatus.Finished(var verdict) ->
          Optional.of(new Fetched(download.attemptId(), verdict));
      case FetchStatus.Failed(var reason) ->
          Optional.of(new FetchFailed(download.attemptId(), reason));
    };
  }

  /// Frees one slot that is no longer needed.
  private void freeUnusedSlot(Set<Sha256> kept) {
    ports.slots().installed().stream()
        .filter(it -> !kept.contains(it))
        .sorted()
        .findFirst()
        .ifPresent(ports.slots()::discard);
  }
}
