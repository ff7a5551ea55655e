package keyfleet.cli.kek;

import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.ExpectedProcessOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.WaitOptions;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import picocli.CommandLine.ParseResult;

/// `kek verify --target=N`, apart from the local check, which loads nothing of this.
final class FleetVerification {
  private final CommandContext office;

  FleetVerification(CommandContext office) {
    this.office = office;
  }

  int run(ParseResult parsed) {
    KekVersion target = KeyOptions.version(parsed, KekVerifyCommand.TARGET);
    OutputFormat format = OutputFormat.of(parsed);
    WaitOptions waiting = WaitOptions.of(parsed);
    ExpectedProcesses expectedProcesses =
        ExpectedProcessOptions.of(parsed, office.around().get().environment());
    try (CommandSession desk = office.desk(parsed)) {
      ReadinessCheck check = new ReadinessCheck(desk, target, expectedProcesses);
      ReadinessReport report =
          waiting.waits() ? check.until(waiting.deadline(desk.ticker())) : check.once();
      return report.print(format, office.console());
    }
  }
}
