package keyfleet.member;

import java.util.function.Supplier;

/// This process's place in the fleet, until it leaves: from that moment nothing is sealed, though
/// the heartbeat may take a while to be gone.
final class Seat implements Supplier<Standing> {
  private static final Standing LEFT = new Standing.Outside("it has left the fleet");

  private final Membership membership;
  private volatile boolean left;

  Seat(Membership membership) {
    this.membership = membership;
  }

  @Override
  public Standing get() {
    return left ? LEFT : membership.standing();
  }

  boolean seals() {
    return !left && membership.seals();
  }

  /// False if it had left before.
  synchronized boolean leave() {
    boolean before = left;
    left = true;
    return !before;
  }
}
