package keyfleet.rollout.node;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.NodeEvent.AttemptId;

/// The state of a node with respect to its task (R5). The transitions are in the package's
/// description. Times are elapsed nanoseconds of the watchdog's clock.
public sealed interface Node {
  NodeBaseline baseline();

  /// No rollout has reached it yet.
  record Idle(NodeBaseline baseline) implements Node {}

  sealed interface Tasked extends Node {
    NodeTask nodeTask();

    Tasked with(NodeTask nodeTask);

    @Override
    default NodeBaseline baseline() {
      return nodeTask().baseline();
    }
  }

  /// An unconfirmed release runs or is about to run; the node rolls back at `confirmBy` in any case
  /// (I4).
  sealed interface Unconfirmed extends Tasked {
    long confirmBy();
  }

  /// The task has ended, so another rollout may use the node.
  sealed interface Ended extends Tasked {
    NodePhase phase();

    RollbackReason rollbackReason();
  }

  record Preparing(NodeTask nodeTask) implements Tasked {
    @Override
    public Preparing with(NodeTask nodeTask) {
      return new Preparing(nodeTask);
    }
  }

  record Staged(NodeTask nodeTask) implements Tasked {
    @Override
    public Staged with(NodeTask nodeTask) {
      return new Staged(nodeTask);
    }
  }

  enum Check {
    OPEN,
    PASSED
  }

  record Applying(NodeTask nodeTask, Check check, long confirmBy) implements Unconfirmed {
    @Override
    public Applying with(NodeTask nodeTask) {
      return new Applying(nodeTask, check, confirmBy);
    }
  }

  record Soaking(NodeTask nodeTask, SoakHealth soakHealth, long confirmBy) implements Unconfirmed {
    @Override
    public Soaking with(NodeTask nodeTask) {
      return new Soaking(nodeTask, soakHealth, confirmBy);
    }
  }

  record Soaked(NodeTask nodeTask, SoakHealth soakHealth, long confirmBy) implements Unconfirmed {
    @Override
    public Soaked with(NodeTask nodeTask) {
      return new Soaked(nodeTask, soakHealth, confirmBy);
    }
  }

  record Confirmed(NodeTask nodeTask) implements Ended {
    @Override
    public Confirmed with(NodeTask nodeTask) {
      return new Confirmed(nodeTask);
    }

    @Override
    public NodePhase phase() {
      return NodePhase.CONFIRMED;
    }

    @Override
    public RollbackReason rollbackReason() {
      return RollbackReason.NONE;
    }
  }

  /// How a node goes back.
  enum Undo {
    /// The release never ran: delete the staged release (R8).
    DISCARD,
    /// Run the release again that was confirmed before (I8).
    SWAP_BACK,
    /// Go back from a confirmed release.
    REVERT
  }

  record RollingBack(
      NodeTask nodeTask, Undo undo, RollbackReason rollbackReason, List<String> reasons)
      implements Tasked {
    public RollingBack {
      reasons = List.copyOf(reasons);
    }

    @Override
    public RollingBack with(NodeTask nodeTask) {
      return new RollingBack(nodeTask, undo, rollbackReason, reasons);
    }
  }

  /// `reasons` are the messages of the rules that refused the release, or why it could not be
  /// fetched.
  record RolledBack(NodeTask nodeTask, RollbackReason rollbackReason, List<String> reasons)
      implements Ended {
    public RolledBack {
      reasons = List.copyOf(reasons);
    }

    @Override
    public RolledBack with(NodeTask nodeTask) {
      return new RolledBack(nodeTask, rollbackReason, reasons);
    }

    @Override
    public NodePhase phase() {
      return NodePhase.ROLLED_BACK;
    }
  }

  record Reverted(NodeTask nodeTask) implements Ended {
    @Override
    public Reverted with(NodeTask nodeTask) {
      return new Reverted(nodeTask);
    }

    @Override
    public NodePhase phase() {
      return NodePhase.REVERTED;
    }

    @Override
    public RollbackReason rollbackReason() {
      return RollbackReason.ORDERED;
    }
  }

  static Node next(Node node, NodeEvent event, long now) {
    return NodeTransitions.next(node, event, now);
  }

  /// How the node replies to an order. It depends on the state alone, so a caller never waits for
  /// work in progress (R9).
  static NodeReply reply(Node node, DesiredState order) {
    return NodeReplyRules.reply(node, order);
  }

  /// What the watchdog must do next. It depends on the state alone, so it is safe to ask again.
  static NodeAction nextAction(Node node) {
    return switch (node) {
      case Preparing(NodeTask t) -> new NodeAction.Download(attemptId(t), t.task().release());
      case Applying(NodeTask t, Check check, _) ->
          check == Check.OPEN
              ? new NodeAction.CheckRules(attemptId(t), t.task().release())
              : new NodeAction.Swap(attemptId(t), t.task().release());
      case Soaking _, Soaked _ -> new NodeAction.Probe();
      case RollingBack(NodeTask t, Undo undo, _, _) ->
          switch (undo) {
            case DISCARD -> new NodeAction.Discard(attemptId(t), t.task().release());
            case SWAP_BACK -> new NodeAction.SwapBack(attemptId(t), t.baseline().confirmed());
            case REVERT -> new NodeAction.SwapBack(attemptId(t), t.baseline().previous());
          };
      case Idle _, Staged _, Ended _ -> new NodeAction.Nothing();
    };
  }

  /// When time alone matters next, or the next probe is due; empty if only an event can change the
  /// node.
  static OptionalLong wakeAt(Node node) {
    return switch (node) {
      case Applying a -> OptionalLong.of(a.confirmBy());
      case Soaking s ->
          earliest(s.soakHealth().nextProbeAt(s.nodeTask().task().soak()), s.confirmBy());
      case Soaked s ->
          earliest(s.soakHealth().nextProbeAt(s.nodeTask().task().soak()), s.confirmBy());
      case Idle _, Preparing _, Staged _, RollingBack _, Ended _ -> OptionalLong.empty();
    };
  }

  /// What the node reports to the drivers; empty while no rollout has reached it.
  static Optional<NodeReport> report(Node node) {
    return node instanceof Tasked tasked ? Optional.of(report(tasked)) : Optional.empty();
  }

  private static NodeReport report(Tasked node) {
    NodeTask nodeTask = node.nodeTask();
    RollbackReason rollbackReason =
        switch (node) {
          // Ordered to revert, but the previous release is no longer kept.
          case Confirmed c when c.nodeTask().isTurnedBack() && !c.nodeTask().canRevert() ->
              RollbackReason.INFRASTRUCTURE;
          case Ended ended -> ended.rollbackReason();
          case RollingBack rollback -> rollback.rollbackReason();
          case Preparing _, Staged _, Unconfirmed _ -> RollbackReason.NONE;
        };
    return new NodeReport(
        nodeTask.baseline().node(),
        nodeTask.task(),
        phase(node),
        rollbackReason,
        nodeTask.claim(),
        runningRelease(node),
        reasons(node));
  }

  private static List<String> reasons(Tasked node) {
    return switch (node) {
      case RollingBack rollback -> rollback.reasons();
      case RolledBack rollback -> rollback.reasons();
      case Preparing _, Staged _, Unconfirmed _, Confirmed _, Reverted _ -> List.of();
    };
  }

  static NodePhase phase(Tasked node) {
    return switch (node) {
      case Preparing _ -> NodePhase.PREPARING;
      case Staged _ -> NodePhase.STAGED;
      case Applying _ -> NodePhase.APPLYING;
      case Soaking _ -> NodePhase.SOAKING;
      case Soaked _ -> NodePhase.SOAKED;
      case RollingBack _ -> NodePhase.ROLLING_BACK;
      case Ended ended -> ended.phase();
    };
  }

  /// The running release as far as the node knows: a swap counts only once it is known to be done.
  static Sha256 runningRelease(Node node) {
    return switch (node) {
      case Soaking s -> s.nodeTask().task().release();
      case Soaked s -> s.nodeTask().task().release();
      case RollingBack r when r.undo() == Undo.SWAP_BACK -> r.nodeTask().task().release();
      case Idle _, Preparing _, Staged _, Applying _, RollingBack _, Ended _ ->
          node.baseline().confirmed();
    };
  }

  /// The releases whose slots must be kept. All others may be deleted (R8).
  static Set<Sha256> keptReleases(Node node) {
    Set<Sha256> kept = new HashSet<>(Set.of(node.baseline().confirmed()));
    kept.add(node.baseline().previous());
    if (node instanceof Tasked tasked && !(node instanceof Ended)) {
      kept.add(tasked.nodeTask().task().release());
    }
    return kept;
  }

  private static AttemptId attemptId(NodeTask nodeTask) {
    return new AttemptId(nodeTask.task().rollout(), nodeTask.task().attempt());
  }

  private static OptionalLong earliest(long one, long other) {
    return OptionalLong.of(one - other < 0 ? one : other);
  }
}
