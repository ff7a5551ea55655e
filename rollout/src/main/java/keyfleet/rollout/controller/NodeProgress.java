package keyfleet.rollout.controller;

/// How far a node has got in a rollout. Each node of the plan has exactly one of these (I10).
public enum NodeProgress {
  /// Has not started.
  PENDING,
  /// Was offline when the plan was made, or was enrolled since; has not started (R16).
  PENDING_OFFLINE,
  /// Left out by the plan, or when it was about to start.
  EXCLUDED,
  /// Another rollout owns the node (R4).
  OCCUPIED,
  /// Its batch continued without it, or an attempt ended without a result for the release; it
  /// starts when it is present.
  WAITING,
  /// Ordered to stage.
  PREPARING,
  /// Ordered to run the release; it counts as running it until it reports otherwise.
  APPLYING,
  /// Soaked, and sent the confirm.
  CONFIRMING,
  CONFIRMED,
  /// Failed, and ordered to go back; it may still run the release.
  FAILING,
  /// Failed and back; the release is not offered to it again (R17).
  FAILED,
  /// Silent until the rollout ended, or cut off too often.
  LOST,
  /// The rollout stops: ordered to go back unless confirmed.
  RECALLING,
  RECALLED,
  /// The rollout is rolled back: ordered to go back, confirmed or not.
  REVERTING,
  REVERTED,
  /// The rollout is rolled back, but the node cannot go back: its previous release is no longer
  /// kept. It keeps running the release.
  KEPT,
  /// Taken out by an operator, who declared it dead.
  FORGOTTEN;

  /// May run the release although it is not confirmed.
  boolean isUnconfirmed() {
    return this == APPLYING || this == CONFIRMING || this == FAILING;
  }

  /// Unfinished in a rollout that moves forward.
  boolean isInProgress() {
    return this == WAITING || this == PREPARING || isUnconfirmed();
  }

  boolean isFailed() {
    return this == FAILING || this == FAILED;
  }

  /// Was ordered to take the release, whatever the result.
  boolean isAttempted() {
    return switch (this) {
      case PENDING, PENDING_OFFLINE, EXCLUDED, OCCUPIED, WAITING, FORGOTTEN -> false;
      case PREPARING, APPLYING, CONFIRMING, CONFIRMED, FAILING, FAILED, LOST -> true;
      case RECALLING, RECALLED, REVERTING, REVERTED, KEPT -> true;
    };
  }

  /// Has not started, independent of its batch, and starts when it is present and the budget allows
  /// it.
  boolean canStart() {
    return this == WAITING || this == PENDING_OFFLINE;
  }

  /// Does not take part, at least for now, and not because of its own result.
  boolean isLeftOut() {
    return this == OCCUPIED || this == FORGOTTEN || this == EXCLUDED;
  }

  /// Has a forward decision, and must report that it has undone it.
  boolean isAwaited() {
    return this == RECALLING || this == REVERTING || this == FAILING;
  }
}
