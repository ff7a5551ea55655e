package keyfleet.it;

import static keyfleet.it.Overseer.v;

import keyfleet.control.AuditVerdict;
import keyfleet.control.RotationOrders.Refused;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.VersionState;

/// An operator's whole work on a rotation, in a process that dies where a test wants it to: orders
/// it, sees it through, takes the old version out of use, and looks at the audit. Who comes second
/// goes on where the first one died.
final class OperatorUnderTest {
  private OperatorUnderTest() {}

  public static void main(String[] args) {
    try (Overseer overseer = new Overseer(System.getenv(), Halt.ofThisProcess())) {
      if (overseer.keystore().rotation() instanceof Idle) {
        Overseer.done(overseer.orders().rotate(v(1), v(2)));
      }
      Until.holds(
          "the rotation is completed",
          () -> overseer.progress().isPresent() && isCompleted(overseer));
      disable(overseer);
      if (!(overseer.audit() instanceof AuditVerdict.Intact)) {
        throw new IllegalStateException("the audit is broken");
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private static boolean isCompleted(Overseer overseer) {
    return overseer.keystore().rotation() instanceof Completed;
  }

  /// Those who died may have had a lease: it is refused while that could be.
  static void disable(Overseer overseer) {
    Until.holds(
        "v1 is disabled",
        () ->
            overseer.keystore().stateOf(v(1)).orElseThrow() == VersionState.DISABLED
                || !(overseer.removals().disable(v(1)) instanceof Refused));
  }
}
