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
  static final Duration WORK_EVERY = Duration.ofSeconds(1);

  private final WatchdogIdentity self;
  private final WatchdogPorts machine;
  private final NodeStoreClient wire;
  private final NodeJournal notebook;
  private long tickedAt;

  public Watchdog(WatchdogIdentity self, Kv kv, WatchdogPorts machine) {
    this.self = self;
    this.machine = machine;
    this.wire = new NodeStoreClient(self, kv, machine.host());
    this.notebook = new NodeJournal(machine.journal(), machine.host());
    this.tickedAt = machine.host().clockReading().elapsed() - WORK_EVERY.toNanos();
  }

  /// One round. If the store is unavailable, the round continues without it; if the machine fails,
  /// the round ends with a [LocalFailureException].
  public void tick() {
    tickedAt = machine.host().clockReading().elapsed();
    Node node = notebook.take(node(), new Ticked());
    Optional<DesiredState> order = Optional.empty();
    StoreLink link = StoreLink.CUT_OFF;
    try {
      order = wire.desiredState();
      link = StoreLink.CONNECTED;
    } catch (StoreException e) {
      // Cut off from the store: there is no order, and time passes without counting for the soak
      // (R10).
    }
    if (order.isPresent()) {
      node = notebook.take(node, new OrderReceived(order.get()));
    }
    link = said(node, link);
    Optional<NodeEvent> outcome = done(Node.nextAction(node), node, link);
    if (outcome.isPresent()) {
      said(notebook.take(node, outcome.get()), link);
    }
  }

  /// When to tick next at the latest, on the elapsed clock. What the last tick could not do,
  /// because the store or the disk was unavailable, is tried again soon, not at once.
  public long wakeAt() {
    Node node = node();
    long beat = wire.beatDue();
    long soon = tickedAt + WORK_EVERY.toNanos();
    long wake = earlier(beat, Node.wakeAt(node).orElse(beat));
    long due = wake - tickedAt > 0 ? wake : soon;
    return switch (Node.nextAction(node)) {
      case Nothing _, NodeAction.Probe _ -> due;
      case Download _, CheckRules _, Swap _, SwapBack _, Discard _ -> earlier(due, soon);
    };
  }

  private static long earlier(long one, long other) {
    return one - other < 0 ? one : other;
  }

  private Node node() {
    return notebook.open(() ->
        new Node.Idle(NodeBaseline.of(self.node(), self.component(), machine.slots().running())));
  }

  /// Writes the node's facts, heartbeat and report if the store was available a moment ago, and
  /// returns whether it still is.
  private StoreLink said(Node node, StoreLink link) {
    if (link == StoreLink.CUT_OFF) {
      return link;
    }
    try {
      StoreLink reached = wire.show(node);
      if (reached == StoreLink.CONNECTED) {
        reached = wire.beat(node, machine.slots().releaseVersion(), machine.probe().health());
      }
      Optional<NodeReport> report = Node.report(node);
      return reached == StoreLink.CONNECTED && report.isPresent()
          ? wire.tell(report.get())
          : reached;
    } catch (StoreException e) {
      return StoreLink.CUT_OFF;
    }
  }

  /// Performs the one action that is due and returns its result.
  private Optional<NodeEvent> done(NodeAction work, Node node, StoreLink link) {
    ReleaseSlots slots = machine.slots();
    return switch (work) {
      case Nothing _ -> {
        tidy(Node.keptReleases(node));
        yield Optional.empty();
      }
      case Download download -> fetched(download);
      case CheckRules(var of, var release) ->
          Optional.of(
              slots.running().equals(release)
                  ? new Swapped(of)
                  : new RulesChecked(of, machine.artifacts().judge(release)));
      case Swap(var of, var release) -> {
        slots.run(release);
        yield Optional.of(new Swapped(of));
      }
      case SwapBack(var of, var release) -> {
        slots.run(release);
        yield Optional.of(new Undone(of));
      }
      case Discard(var of, var release) -> {
        slots.discard(release);
        yield Optional.of(new Undone(of));
      }
      case NodeAction.Probe _ -> Optional.of(new Probed(machine.probe().look(), link));
    };
  }

  private Optional<NodeEvent> fetched(Download download) {
    return switch (machine.artifacts().fetch(download.release())) {
      case FetchStatus.InProgress _ -> Optional.empty();
      case FetchStatus.Finished(var verdict) ->
          Optional.of(new Fetched(download.attemptId(), verdict));
      case FetchStatus.Failed(var reason) ->
          Optional.of(new FetchFailed(download.attemptId(), reason));
    };
  }

  /// Frees one slot that is no longer needed.
  private void tidy(Set<Sha256> kept) {
    machine.slots().held().stream()
        .filter(it -> !kept.contains(it))
        .sorted()
        .findFirst()
        .ifPresent(machine.slots()::discard);
  }
}
