package keyfleet.cli.kek;

import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.ExpectedProcessOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.WaitOptions;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.VersionEntry;
import keyfleet.member.document.HeartbeatDocument;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// Asks the gate whether the fleet is ready for a version. The check needs the key of the version:
/// a host that cannot open the version's sentinel gets an error.
final class ReadinessCheck {
  private final CommandSession session;
  private final KekVersion target;
  private final ExpectedProcesses expectedProcesses;

  ReadinessCheck(CommandSession session, KekVersion target, ExpectedProcesses expectedProcesses) {
    this.session = session;
    this.target = target;
    this.expectedProcesses = expectedProcesses;
  }

  /// `kek verify --target=N`.
  static int verify(CommandContext context, ParseResult parsed) {
    KekVersion target = KeyOptions.version(parsed, KekVerifyCommand.TARGET);
    OutputFormat format = OutputFormat.of(parsed);
    WaitOptions waitOptions = WaitOptions.of(parsed);
    ExpectedProcesses expectedProcesses =
        ExpectedProcessOptions.of(parsed, context.runtime().get().environment());
    try (CommandSession session = context.openSessionForReading(parsed)) {
      ReadinessCheck check = new ReadinessCheck(session, target, expectedProcesses);
      ReadinessReport report =
          waitOptions.shouldWait()
              ? check.checkUntil(waitOptions.startDeadline(session.ticker()), context.console())
              : check.check();
      return report.print(format, context.console());
    }
  }

  ReadinessReport check() {
    Keystore keystore =
        session.requireKeystore(); // the gate must read the keystore before the roster
    @Nullable SafeHold hold = session.findSafeHold().orElse(null);
    VersionEntry keyVersion = keystore.versions().get(target);
    if (keyVersion == null) {
      if (hold != null) {
        throw CommandException.conditionNotMet(
            "safe hold: %s; the keystore does not know %s".formatted(hold.reason(), target),
            CommandSession.holdRemedy(session.keyring()));
      }
      throw new CommandException(
          target + " is not announced",
          "keyfleet kek announce --version="
              + target.number()
              + KeyOptions.keyringFlag(session.keyring()));
    }
    session.keys().requireProved(keystore, target);
    var verdict = session.readinessVerifier().verify(keystore, target, expectedProcesses);
    var storeTime = HeartbeatDocument.toInstant(session.storeConnections().kv().storeTime());
    return new ReadinessReport(
        session.keyring(), target, keyVersion.provider(), verdict, hold, storeTime);
  }

  /// Repeats the check until the fleet is ready or the deadline is reached; returns the last
  /// result. It rides over an outage of the store, and throws if that lasts until the deadline.
  private ReadinessReport checkUntil(Deadline deadline, Console console) {
    ReadinessReport report = check();
    StoreException outage = null;
    while ((outage != null || !report.isReady()) && !deadline.isReached()) {
      deadline.pause();
      console.requireReader();
      try {
        report = check();
        if (outage != null) {
          console.printMessage("the store answers again");
        }
        outage = null;
      } catch (StoreRefusedException e) {
        throw e;
      } catch (StoreException e) {
        if (outage == null) {
          console.printMessage(Console.sanitize("still waiting: " + e.getMessage()));
        }
        outage = e;
      }
    }
    if (outage != null) {
      throw outage;
    }
    return report;
  }
}
