package keyfleet.rollout;

import java.util.Optional;

/// Whose turn it is to begin. Each node is asked once more what preflight asked: it may have been
/// offline when the plan was made, or have been away since, and come back as another (R16). Who was
/// not asked at the last look waits for the next one.
final class Turn {
  private final Muster muster;
  private final Room room;

  Turn(Muster muster, Room room) {
    this.muster = muster;
    this.room = room;
  }

  /// Lets the node begin if it stands at `from`, beats, may have the release, and there is room.
  void take(NodeId node, Standing from) {
    if (muster.standing(node) == from && muster.isPresent(node)) {
      muster.status(node).ifPresent(this::take);
    }
  }

  private void take(NodeStatus status) {
    Optional<Exclusion.Reason> objection = muster.spec().admission().objectionInTurn(status);
    if (objection.isPresent()) {
      muster.exclude(status.node(), objection.get());
    } else if (room.takeStart(status.node())) {
      muster.move(status.node(), Standing.PREPARING);
    }
  }
}
