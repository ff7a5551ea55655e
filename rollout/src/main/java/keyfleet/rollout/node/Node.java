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
  NodeBaseline ground();

  /// No rollout has reached it yet.
  record Idle(NodeBaseline ground) implements Node {}

  sealed interface Tasked extends Node {
    NodeTask duty();

    Tasked with(NodeTask duty);

    @Override
    default NodeBaseline ground() {
      return duty().ground();
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

    RollbackReason setback();
  }

  record Preparing(NodeTask duty) implements Tasked {
    @Override
    public Preparing with(NodeTask duty) {
      return new Preparing(duty);
    }
  }

  record Staged(NodeTask duty) implements Tasked {
    @Override
    public Staged with(NodeTask duty) {
      return new Staged(duty);
    }
  }

  enum Check {
    OPEN,
    PASSED
  }

  record Applying(NodeTask duty, Check check, long confirmBy) implements Unconfirmed {
    @Override
    public Applying with(NodeTask duty) {
      return new Applying(duty, check, confirmBy);
    }
  }

  record Soaking(NodeTask duty, SoakHealth vitals, long confirmBy) implements Unconfirmed {
    @Override
    public Soaking with(NodeTask duty) {
      return new Soaking(duty, vitals, confirmBy);
    }
  }

  record Soaked(NodeTask duty, SoakHealth vitals, long confirmBy) implements Unconfirmed {
    @Override
    public Soaked with(NodeTask duty) {
      return new Soaked(duty, vitals, confirmBy);
    }
  }

  record Confirmed(NodeTask duty) implements Ended {
    @Override
    public Confirmed with(NodeTask duty) {
      return new Confirmed(duty);
    }

    @Override
    public NodePhase phase() {
      return NodePhase.CONFIRMED;
    }

    @Override
    public RollbackReason setback() {
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

  record RollingBack(NodeTask duty, Undo undo, RollbackReason setback, List<String> reasons)
      implements Tasked {
    public RollingBack {
      reasons = List.copyOf(reasons);
    }

    @Override
    public RollingBack with(NodeTask duty) {
      return new RollingBack(duty, undo, setback, reasons);
    }
  }

  /// `reasons` are the messages of the rules that refused the release, or why it could not be
  /// fetched.
  record RolledBack(NodeTask duty, RollbackReason setback, List<String> reasons) implements Ended {
    public RolledBack {
      reasons = List.copyOf(reasons);
    }

    @Override
    public RolledBack with(NodeTask duty) {
      return new RolledBack(duty, setback, reasons);
    }

    @Override
    public NodePhase phase() {
      return NodePhase.ROLLED_BACK;
    }
  }

  record Reverted(NodeTask duty) implements Ended {
    @Override
    public Reverted with(NodeTask duty) {
      return new Reverted(duty);
    }

    @Override
    public NodePhase phase() {
      return NodePhase.REVERTED;
    }

    @Override
    public RollbackReason setback() {
      return RollbackReason.ORDERED;
    }
  }

  static Node next(Node node, NodeEvent event, long now) {
    return NodeTransitions.next(node, event, now);
  }

  /// How the node replies to an order. It depends on the state alone, so a caller never waits for
  /// work in progress (R9).
  static NodeReply answer(Node node, DesiredState desired) {
    return NodeReplyRules.answer(node, desired);
  }

  /// What the watchdog must do next. It depends on the state alone, so it is safe to ask again.
  static NodeAction work(Node node) {
    return switch (node) {
      case Preparing(NodeTask d) -> new NodeAction.Download(of(d), d.task().release());
      case Applying(NodeTask d, Check check, _) ->
          check == Check.OPEN
              ? new NodeAction.CheckRules(of(d), d.task().release())
              : new NodeAction.Swap(of(d), d.task().release());
      case Soaking _, Soaked _ -> new NodeAction.Probe();
      case RollingBack(NodeTask d, Undo undo, _, _) ->
          switch (undo) {
            case DISCARD -> new NodeAction.Discard(of(d), d.task().release());
            case SWAP_BACK -> new NodeAction.SwapBack(of(d), d.ground().confirmed());
            case REVERT -> new NodeAction.SwapBack(of(d), d.ground().previous());
          };
      case Idle _, Staged _, Ended _ -> new NodeAction.Nothing();
    };
  }

  /// When time alone matters next, or the next probe is due; empty if only an event can change the
  /// node.
  static OptionalLong wakeAt(Node node) {
    return switch (node) {
      case Applying a -> OptionalLong.of(a.confirmBy());
      case Soaking s -> earlier(s.vitals().nextLook(s.duty().task().soak()), s.confirmBy());
      case Soaked s -> earlier(s.vitals().nextLook(s.duty().task().soak()), s.confirmBy());
      case Idle _, Preparing _, Staged _, RollingBack _, Ended _ -> OptionalLong.empty();
    };
  }

  /// What the node reports to the drivers; empty while no rollout has reached it.
  static Optional<NodeReport> report(Node node) {
    return node instanceof Tasked tasked ? Optional.of(report(tasked)) : Optional.empty();
  }

  private static NodeReport report(Tasked node) {
    NodeTask duty = node.duty();
    RollbackReason setback =
        switch (node) {
          // Ordered to revert, but the previous release is no longer kept.
          case Confirmed c when c.duty().isTurned() && !c.duty().canRevert() ->
              RollbackReason.INFRASTRUCTURE;
          case Ended ended -> ended.setback();
          case RollingBack back -> back.setback();
          case Preparing _, Staged _, Unconfirmed _ -> RollbackReason.NONE;
        };
    return new NodeReport(
        duty.ground().node(),
        duty.task(),
        phase(node),
        setback,
        duty.lead(),
        running(node),
        reasons(node));
  }

  private static List<String> reasons(Tasked node) {
    return switch (node) {
      case RollingBack back -> back.reasons();
      case RolledBack back -> back.reasons();
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
  static Sha256 running(Node node) {
    return switch (node) {
      case Soaking s -> s.duty().task().release();
      case Soaked s -> s.duty().task().release();
      case RollingBack r when r.undo() == Undo.SWAP_BACK -> r.duty().task().release();
      case Idle _, Preparing _, Staged _, Applying _, RollingBack _, Ended _ ->
          node.ground().confirmed();
    };
  }

  /// The releases whose slots must be kept. All others may be deleted (R8).
  static Set<Sha256> kept(Node node) {
    Set<Sha256> kept = new HashSet<>(Set.of(node.ground().confirmed()));
    kept.add(node.ground().previous());
    if (node instanceof Tasked tasked && !(node instanceof Ended)) {
      kept.add(tasked.duty().task().release());
    }
    return kept;
  }

  private static AttemptId of(NodeTask duty) {
    return new AttemptId(duty.task().rollout(), duty.task().attempt());
  }

  private static OptionalLong earlier(long one, long other) {
    return OptionalLong.of(one - other < 0 ? one : other);
  }
}
