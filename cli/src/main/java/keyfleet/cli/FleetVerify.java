package keyfleet.cli;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import picocli.CommandLine.ParseResult;

/// `kek verify --target=N`, apart from the local check, which loads nothing of this.
final class FleetVerify {
  private final Office office;

  FleetVerify(Office office) {
    this.office = office;
  }

  int run(ParseResult parsed) {
    KekVersion target = KeyOptions.version(parsed, KekVerify.TARGET);
    OutputFormat format = OutputFormat.of(parsed);
    WaitOptions waiting = WaitOptions.of(parsed);
    ExpectedProcesses expectedProcesses =
        Expectation.of(parsed, office.around().get().environment());
    try (Desk desk = office.desk(parsed)) {
      FleetCheck check = new FleetCheck(desk, target, expectedProcesses);
      GateReport report =
          waiting.waits() ? check.until(waiting.deadline(desk.ticker())) : check.once();
      return report.print(format, office.console());
    }
  }
}
