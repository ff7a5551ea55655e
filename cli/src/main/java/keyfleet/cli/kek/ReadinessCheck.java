package keyfleet.cli.kek;

import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.output.CommandException;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionEntry;
import keyfleet.member.document.HeartbeatDocument;

/// Asks the gate whether the fleet is ready for a version. Whoever cannot open the version's
/// sentinel cannot judge, and is told so.
final class ReadinessCheck {
  private final CommandSession session;
  private final KekVersion target;
  private final ExpectedProcesses expectedProcesses;

  ReadinessCheck(CommandSession session, KekVersion target, ExpectedProcesses expectedProcesses) {
    this.session = session;
    this.target = target;
    this.expectedProcesses = expectedProcesses;
  }

  ReadinessReport check() {
    Keystore keystore = session.requireKeystore(); // read before the roster: the gate's order
    VersionEntry keyVersion = keystore.versions().get(target);
    if (keyVersion == null) {
      throw new CommandException(
          target + " is not announced", "keyfleet kek announce --version=" + target.number());
    }
    session.keys().requireProved(keystore, target);
    var verdict = session.readinessVerifier().verify(keystore, target, expectedProcesses);
    var storeTime = HeartbeatDocument.toInstant(session.storeConnections().kv().storeTime());
    return new ReadinessReport(
        session.keyring(), target, keyVersion.provider(), verdict, storeTime);
  }

  /// The last answer: ready, or what stood in the way when time was up.
  ReadinessReport checkUntil(Deadline deadline) {
    ReadinessReport report = check();
    while (!report.isReady() && !deadline.isReached()) {
      deadline.pause();
      report = check();
    }
    return report;
  }
}
