package keyfleet.it.process;

import static keyfleet.it.process.InProcessOperator.v;

import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.RotationRate;
import keyfleet.control.rotation.SecretAuditWriter;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.VersionState;
import org.jspecify.annotations.Nullable;

/// An operator's work on a rotation, in a process that a test can halt: it orders the rotation,
/// sets its rate, waits for its end, disables the old version and verifies the audit. A second
/// process continues where the first was halted.
public final class OperatorUnderTest {
  private OperatorUnderTest() {}

  public static void main(String[] args) {
    try (InProcessOperator operator =
        new InProcessOperator(System.getenv(), HaltPoint.ofThisProcess())) {
      KekVersion from = v(Integer.parseInt(args[0]));
      KekVersion to = v(Integer.parseInt(args[1]));
      if (!to.equals(target(operator))) {
        Await.until(
            "the rotation is started",
            () -> !(operator.orders().rotate(from, to) instanceof Refused));
      }
      // A rotation that is over has no rate, and does not mind one.
      RotationJob job = Rotation.lastJob(operator.keystore().rotation()).orElseThrow();
      operator.setRate(new RotationRate(job.id(), 0));
      Await.until(
          "the rotation is completed",
          () ->
              operator.rotationProgress().isPresent()
                  && operator.keystore().rotation() instanceof Completed
                  && to.equals(target(operator)));
      // The next change of the keystore ties this entry.
      new SecretAuditWriter(operator.orders()).writeDeleteIntent("none", null);
      disable(operator, from);
      if (!(operator.verifyAudit() instanceof AuditVerdict.Intact)) {
        throw new IllegalStateException("the audit is broken");
      }
    }
    Runtime.getRuntime().halt(0);
  }

  /// The target of the last rotation; null before the first.
  private static @Nullable KekVersion target(InProcessOperator operator) {
    return Rotation.lastJob(operator.keystore().rotation()).map(RotationJob::to).orElse(null);
  }

  /// The order is refused while a killed process may still have a lease.
  public static void disable(InProcessOperator operator, KekVersion version) {
    Await.until(
        version + " is disabled",
        () ->
            operator.keystore().stateOf(version).orElseThrow() == VersionState.DISABLED
                || !(operator.removals().disable(version) instanceof Refused));
  }
}
