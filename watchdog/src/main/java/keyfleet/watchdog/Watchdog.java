package keyfleet.watchdog;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import keyfleet.rollout.Desired;
import keyfleet.rollout.Ground;
import keyfleet.rollout.Node;
import keyfleet.rollout.NodeEvent;
import keyfleet.rollout.NodeEvent.Commanded;
import keyfleet.rollout.NodeEvent.FetchFailed;
import keyfleet.rollout.NodeEvent.Fetched;
import keyfleet.rollout.NodeEvent.Judged;
import keyfleet.rollout.NodeEvent.Probed;
import keyfleet.rollout.NodeEvent.Retreated;
import keyfleet.rollout.NodeEvent.Swapped;
import keyfleet.rollout.NodeEvent.Ticked;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.NodeWork;
import keyfleet.rollout.NodeWork.Discard;
import keyfleet.rollout.NodeWork.Download;
import keyfleet.rollout.NodeWork.Judge;
import keyfleet.rollout.NodeWork.Nothing;
import keyfleet.rollout.NodeWork.Swap;
import keyfleet.rollout.NodeWork.SwapBack;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Vitals.Link;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;

/// The loop of one node: order, decision, journal, one effect, journal, report. Used by one thread.
public final class Watchdog {
  /// How soon work in progress, or failed work, is tried again.
  static final Duration WORK_EVERY = Duration.ofSeconds(1);

  private final Self self;
  private final Machine machine;
  private final Wire wire;
  private final Notebook notebook;
  private long tickedAt;

  public Watchdog(Self self, Kv kv, Machine machine) {
    this.self = self;
    this.machine = machine;
    this.wire = new Wire(self, kv, machine.host());
    this.notebook = new Notebook(machine.journal(), machine.host());
    this.tickedAt = machine.host().moment().elapsed() - WORK_EVERY.toNanos();
  }

  /// One round. If the store is unavailable, the round continues without it; if the machine fails,
  /// the round ends with a [MachineException].
  public void tick() {
    tickedAt = machine.host().moment().elapsed();
    Node node = notebook.take(node(), new Ticked());
    Optional<Desired> order = Optional.empty();
    Link link = Link.CUT_OFF;
    try {
      order = wire.desired();
      link = Link.CONNECTED;
    } catch (StoreException e) {
      // Cut off from the store: there is no order, and time passes without counting for the soak
      // (R10).
    }
    if (order.isPresent()) {
      node = notebook.take(node, new Commanded(order.get()));
    }
    link = said(node, link);
    Optional<NodeEvent> outcome = done(Node.work(node), node, link);
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
    return switch (Node.work(node)) {
      case Nothing _, NodeWork.Probe _ -> due;
      case Download _, Judge _, Swap _, SwapBack _, Discard _ -> earlier(due, soon);
    };
  }

  private static long earlier(long one, long other) {
    return one - other < 0 ? one : other;
  }

  private Node node() {
    return notebook.open(
        () -> new Node.Idle(Ground.of(self.node(), self.component(), machine.slots().running())));
  }

  /// Writes the node's facts, heartbeat and report if the store was available a moment ago, and
  /// returns whether it still is.
  private Link said(Node node, Link link) {
    if (link == Link.CUT_OFF) {
      return link;
    }
    try {
      Link reached = wire.show(node);
      if (reached == Link.CONNECTED) {
        reached = wire.beat(node, machine.slots().version(), machine.probe().health());
      }
      Optional<NodeReport> report = Node.report(node);
      return reached == Link.CONNECTED && report.isPresent() ? wire.tell(report.get()) : reached;
    } catch (StoreException e) {
      return Link.CUT_OFF;
    }
  }

  /// Performs the one action that is due and returns its result.
  private Optional<NodeEvent> done(NodeWork work, Node node, Link link) {
    Slots slots = machine.slots();
    return switch (work) {
      case Nothing _ -> {
        tidy(Node.kept(node));
        yield Optional.empty();
      }
      case Download download -> fetched(download);
      case Judge(var of, var release) ->
          Optional.of(
              slots.running().equals(release)
                  ? new Swapped(of)
                  : new Judged(of, machine.artifacts().judge(release)));
      case Swap(var of, var release) -> {
        slots.run(release);
        yield Optional.of(new Swapped(of));
      }
      case SwapBack(var of, var release) -> {
        slots.run(release);
        yield Optional.of(new Retreated(of));
      }
      case Discard(var of, var release) -> {
        slots.discard(release);
        yield Optional.of(new Retreated(of));
      }
      case NodeWork.Probe _ -> Optional.of(new Probed(machine.probe().look(), link));
    };
  }

  private Optional<NodeEvent> fetched(Download download) {
    return switch (machine.artifacts().fetch(download.release())) {
      case Fetching.UnderWay _ -> Optional.empty();
      case Fetching.Ended(var verdict) -> Optional.of(new Fetched(download.of(), verdict));
      case Fetching.Failed(var reason) -> Optional.of(new FetchFailed(download.of(), reason));
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
