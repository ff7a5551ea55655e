package keyfleet.rollout;

/// Where a node stands in a rollout. A node of the plan is in exactly one of them (I10).
public enum Standing {
  /// Its turn has not come.
  PENDING,
  /// Was offline when the plan was made, or was enrolled since; its turn has not come (R16).
  PENDING_OFFLINE,
  /// Left out by the plan, or when its turn came.
  EXCLUDED,
  /// Another rollout has the node (R4).
  OCCUPIED,
  /// Its batch went on without it, or an attempt ended without a word on the release; it is tried
  /// when it beats.
  WAITING,
  /// Told to stage.
  PREPARING,
  /// Told to run the release, which it does from now on until it says otherwise.
  APPLYING,
  /// Soaked, and told so.
  CONFIRMING,
  CONFIRMED,
  /// Failed, and told to go back; it may still run the release.
  FAILING,
  /// Failed and back; this release is not offered to it again (R17).
  FAILED,
  /// Not heard of until the rollout ended, or too often cut off.
  LOST,
  /// The rollout stops: told to go back unless confirmed.
  RECALLING,
  RECALLED,
  /// The rollout is rolled back: told to go back, confirmed or not.
  REVERTING,
  REVERTED,
  /// The rollout is rolled back, and the node cannot: what ran before is not kept any more. It runs
  /// the release for good.
  KEPT,
  /// Taken out by an operator, who says that it is dead.
  FORGOTTEN;

  /// May run the release though it is not confirmed.
  boolean isFlying() {
    return this == APPLYING || this == CONFIRMING || this == FAILING;
  }

  /// Still to do in a rollout that goes forward.
  boolean isOpen() {
    return this == WAITING || this == PREPARING || isFlying();
  }

  boolean isFailed() {
    return this == FAILING || this == FAILED;
  }

  /// Was told to take the release, whatever came of it.
  boolean isBegun() {
    return switch (this) {
      case PENDING, PENDING_OFFLINE, EXCLUDED, OCCUPIED, WAITING, FORGOTTEN -> false;
      case PREPARING, APPLYING, CONFIRMING, CONFIRMED, FAILING, FAILED, LOST -> true;
      case RECALLING, RECALLED, REVERTING, REVERTED, KEPT -> true;
    };
  }

  /// Has not begun, whatever its batch does, and begins when it beats and there is room.
  boolean mayBegin() {
    return this == WAITING || this == PENDING_OFFLINE;
  }

  /// Does not take part, at least for now, and not by its own doing.
  boolean isLeftOut() {
    return this == OCCUPIED || this == FORGOTTEN || this == EXCLUDED;
  }

  /// Has a forward decision that it must be seen to have given up.
  boolean isAwaited() {
    return this == RECALLING || this == REVERTING || this == FAILING;
  }
}
