package keyfleet.rollout;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import keyfleet.rollout.NodeEvent.Attempted;

/// The state of a node with respect to its task (R5). The transitions are in the package's
/// description. Times are elapsed nanoseconds of the watchdog's clock.
public sealed interface Node {
  Ground ground();

  /// No rollout has reached it yet.
  record Idle(Ground ground) implements Node {}

  sealed interface Tasked extends Node {
    Duty duty();

    Tasked with(Duty duty);

    @Override
    default Ground ground() {
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
    Phase phase();

    Setback setback();
  }

  record Preparing(Duty duty) implements Tasked {
    @Override
    public Preparing with(Duty duty) {
      return new Preparing(duty);
    }
  }

  record Staged(Duty duty) implements Tasked {
    @Override
    public Staged with(Duty duty) {
      return new Staged(duty);
    }
  }

  enum Check {
    OPEN,
    PASSED
  }

  record Applying(Duty duty, Check check, long confirmBy) implements Unconfirmed {
    @Override
    public Applying with(Duty duty) {
      return new Applying(duty, check, confirmBy);
    }
  }

  record Soaking(Duty duty, Vitals vitals, long confirmBy) implements Unconfirmed {
    @Override
    public Soaking with(Duty duty) {
      return new Soaking(duty, vitals, confirmBy);
    }
  }

  record Soaked(Duty duty, Vitals vitals, long confirmBy) implements Unconfirmed {
    @Override
    public Soaked with(Duty duty) {
      return new Soaked(duty, vitals, confirmBy);
    }
  }

  record Confirmed(Duty duty) implements Ended {
    @Override
    public Confirmed with(Duty duty) {
      return new Confirmed(duty);
    }

    @Override
    public Phase phase() {
      return Phase.CONFIRMED;
    }

    @Override
    public Setback setback() {
      return Setback.NONE;
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

  record RollingBack(Duty duty, Undo undo, Setback setback, List<String> reasons)
      implements Tasked {
    public RollingBack {
      reasons = List.copyOf(reasons);
    }

    @Override
    public RollingBack with(Duty duty) {
      return new RollingBack(duty, undo, setback, reasons);
    }
  }

  /// `reasons` are the messages of the rules that refused the release, or why it could not be
  /// fetched.
  record RolledBack(Duty duty, Setback setback, List<String> reasons) implements Ended {
    public RolledBack {
      reasons = List.copyOf(reasons);
    }

    @Override
    public RolledBack with(Duty duty) {
      return new RolledBack(duty, setback, reasons);
    }

    @Override
    public Phase phase() {
      return Phase.ROLLED_BACK;
    }
  }

  record Reverted(Duty duty) implements Ended {
    @Override
    public Reverted with(Duty duty) {
      return new Reverted(duty);
    }

    @Override
    public Phase phase() {
      return Phase.REVERTED;
    }

    @Override
    public Setback setback() {
      return Setback.ORDERED;
    }
  }

  static Node next(Node node, NodeEvent event, long now) {
    return NodeSteps.next(node, event, now);
  }

  /// How the node replies to an order. It depends on the state alone, so a caller never waits for
  /// work in progress (R9).
  static NodeReply answer(Node node, Desired desired) {
    return NodeReplies.answer(node, desired);
  }

  /// What the watchdog must do next. It depends on the state alone, so it is safe to ask again.
  static NodeWork work(Node node) {
    return switch (node) {
      case Preparing(Duty d) -> new NodeWork.Download(of(d), d.task().release());
      case Applying(Duty d, Check check, _) ->
          check == Check.OPEN
              ? new NodeWork.Judge(of(d), d.task().release())
              : new NodeWork.Swap(of(d), d.task().release());
      case Soaking _, Soaked _ -> new NodeWork.Probe();
      case RollingBack(Duty d, Undo undo, _, _) ->
          switch (undo) {
            case DISCARD -> new NodeWork.Discard(of(d), d.task().release());
            case SWAP_BACK -> new NodeWork.SwapBack(of(d), d.ground().confirmed());
            case REVERT -> new NodeWork.SwapBack(of(d), d.ground().previous());
          };
      case Idle _, Staged _, Ended _ -> new NodeWork.Nothing();
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
    Duty duty = node.duty();
    Setback setback =
        switch (node) {
          // Ordered to revert, but the previous release is no longer kept.
          case Confirmed c when c.duty().isTurned() && !c.duty().canRevert() ->
              Setback.INFRASTRUCTURE;
          case Ended ended -> ended.setback();
          case RollingBack back -> back.setback();
          case Preparing _, Staged _, Unconfirmed _ -> Setback.NONE;
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

  static Phase phase(Tasked node) {
    return switch (node) {
      case Preparing _ -> Phase.PREPARING;
      case Staged _ -> Phase.STAGED;
      case Applying _ -> Phase.APPLYING;
      case Soaking _ -> Phase.SOAKING;
      case Soaked _ -> Phase.SOAKED;
      case RollingBack _ -> Phase.ROLLING_BACK;
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

  private static Attempted of(Duty duty) {
    return new Attempted(duty.task().rollout(), duty.task().attempt());
  }

  private static OptionalLong earlier(long one, long other) {
    return OptionalLong.of(one - other < 0 ? one : other);
  }
}
