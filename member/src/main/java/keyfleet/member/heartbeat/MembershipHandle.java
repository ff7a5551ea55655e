package keyfleet.member.heartbeat;

import java.util.function.Supplier;
import keyfleet.member.MembershipState;

/// This process's place in the fleet, until it leaves: from that moment nothing is sealed, though
/// the heartbeat may take a while to be gone.
public final class MembershipHandle implements Supplier<MembershipState> {
  private static final MembershipState LEFT =
      new MembershipState.NotJoined("it has left the fleet");

  private final Membership membership;
  private volatile boolean left;

  public MembershipHandle(Membership membership) {
    this.membership = membership;
  }

  @Override
  public MembershipState get() {
    return left ? LEFT : membership.state();
  }

  public boolean canSeal() {
    return !left && membership.canSeal();
  }

  /// False if it had left before.
  public synchronized boolean leave() {
    boolean before = left;
    left = true;
    return !before;
  }
}
