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
  private final CommandSession desk;
  private final KekVersion target;
  private final ExpectedProcesses expectedProcesses;

  ReadinessCheck(CommandSession desk, KekVersion target, ExpectedProcesses expectedProcesses) {
    this.desk = desk;
    this.target = target;
    this.expectedProcesses = expectedProcesses;
  }

  ReadinessReport once() {
    Keystore keystore = desk.keystore(); // read before the roster: the gate's order
    VersionEntry known = keystore.versions().get(target);
    if (known == null) {
      throw new CommandException(
          target + " is not announced", "keyfleet kek announce --version=" + target.number());
    }
    desk.keys().needProved(keystore, target);
    var verdict = desk.readinessVerifier().verify(keystore, target, expectedProcesses);
    var storeTime = HeartbeatDocument.toInstant(desk.stores().kv().storeTime());
    return new ReadinessReport(desk.keyring(), target, known.provider(), verdict, storeTime);
  }

  /// The last answer: ready, or what stood in the way when time was up.
  ReadinessReport until(Deadline deadline) {
    ReadinessReport report = once();
    while (!report.isReady() && !deadline.isOver()) {
      deadline.pause();
      report = once();
    }
    return report;
  }
}
