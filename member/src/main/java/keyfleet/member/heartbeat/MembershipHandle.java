package keyfleet.member.heartbeat;

import java.util.function.Supplier;
import keyfleet.member.MembershipState;

/// The membership as the application sees it. Once the process leaves, it seals nothing, even if
/// deleting its heartbeat takes a while.
public final class MembershipHandle implements Supplier<MembershipState> {
  private static final MembershipState LEFT =
      new MembershipState.NotJoined("this process has left the fleet");

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

  /// Returns false if the process had left before.
  public synchronized boolean leave() {
    boolean before = left;
    left = true;
    return !before;
  }
}
