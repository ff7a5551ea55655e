package keyfleet.cli;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Readiness.Anyone;
import keyfleet.keyring.Readiness.AtLeast;
import keyfleet.keyring.Readiness.Expected;
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
    Expected expected = expected(parsed);
    try (Desk desk = office.desk(parsed)) {
      FleetCheck check = new FleetCheck(desk, target, expected);
      GateReport report =
          waiting.waits() ? check.until(waiting.deadline(desk.ticker())) : check.once();
      return report.print(format, office.console());
    }
  }

  private static Expected expected(ParseResult parsed) {
    String given = parsed.matchedOptionValue(KekVerify.MIN_PROCESSES, "");
    if (given.isEmpty()) {
      return new Anyone();
    }
    if (!given.matches("[1-9][0-9]{0,8}")) {
      throw new CommandException(
          KekVerify.MIN_PROCESSES + "=" + given + " is not a number of processes",
          KekVerify.MIN_PROCESSES + "=3");
    }
    return new AtLeast(Integer.parseInt(given));
  }
}
