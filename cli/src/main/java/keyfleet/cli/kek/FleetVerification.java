package keyfleet.cli.kek;

import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.ExpectedProcessOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.WaitOptions;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import picocli.CommandLine.ParseResult;

/// `kek verify --target=N`. It is separate from `--local`, which must not load the classes of a
/// store.
final class FleetVerification {
  private final CommandContext context;

  FleetVerification(CommandContext context) {
    this.context = context;
  }

  int run(ParseResult parsed) {
    KekVersion target = KeyOptions.version(parsed, KekVerifyCommand.TARGET);
    OutputFormat format = OutputFormat.of(parsed);
    WaitOptions waitOptions = WaitOptions.of(parsed);
    ExpectedProcesses expectedProcesses =
        ExpectedProcessOptions.of(parsed, context.runtime().get().environment());
    try (CommandSession session = context.openSession(parsed)) {
      ReadinessCheck check = new ReadinessCheck(session, target, expectedProcesses);
      ReadinessReport report =
          waitOptions.shouldWait()
              ? check.checkUntil(waitOptions.startDeadline(session.ticker()))
              : check.check();
      return report.print(format, context.console());
    }
  }
}
