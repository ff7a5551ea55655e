package keyfleet.cli.kek;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.ExpectedProcessOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.WaitOptions;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.kek.RotationDisplay.DisplayMode;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.RotationJob.Kind;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `kek rotate` and `kek revoke`: from one version to another. The gate is asked first, so that the
/// operator hears at once who is not ready; the driver asks it again, and its answer counts.
public final class KekRotateCommand implements Command {
  private static final String FROM = "--from-version";
  private static final String TO = "--to-version";
  private static final String DRY_RUN = "--dry-run";

  private final CommandContext office;
  private final Kind kind;

  public KekRotateCommand(CommandContext office, Kind kind) {
    this.office = office;
    this.kind = kind;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addTo(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addWithRecords(spec);
    spec.addOption(version(FROM, "The active version.")).addOption(version(TO, "The next one."));
    if (kind == Kind.ROTATION) {
      spec.addOption(
          OptionSpec.builder(DRY_RUN)
              .type(boolean.class)
              .description("Ask the gate, try every record's data key, and change nothing.")
              .build());
    }
    WaitOptions.addTo(ExpectedProcessOptions.addTo(spec)).addOption(OutputFormat.option());
    spec.usageMessage()
        .description(
            kind == Kind.ROTATION
                ? "Moves all records to another version, then makes it the active one."
                : "For a version in other hands: encrypts all records anew under another version.",
            "A worker does it. On a terminal this command shows how far it is; elsewhere it returns"
                + " once it is ordered, unless --wait is given. Ctrl-C leaves it going on.",
            "Exit: 0 ordered, or completed; 2 not ready, refused, not completed; 1 bad input.");
    return spec;
  }

  private static OptionSpec version(String name, String description) {
    return OptionSpec.builder(name)
        .paramLabel("N")
        .type(String.class)
        .required(true)
        .description(description)
        .build();
  }

  @Override
  public int run(ParseResult parsed) {
    KekVersion from = KeyOptions.version(parsed, FROM);
    KekVersion to = KeyOptions.version(parsed, TO);
    OutputFormat format = OutputFormat.of(parsed);
    WaitOptions waiting = WaitOptions.of(parsed);
    if (from.equals(to)) {
      throw new CommandException(FROM + " and " + TO + " are the same", TO + "=2");
    }
    Kind wanted = parsed.matchedOptionValue(DRY_RUN, false) ? Kind.DRY_RUN : kind;
    ExpectedProcesses expectedProcesses =
        ExpectedProcessOptions.of(parsed, office.around().get().environment());
    try (CommandSession desk = office.desk(parsed)) {
      if (isDone(desk.keystore(), wanted, from, to)) {
        RotationStatus.at(desk).print(format, office.console().out());
        return ExitCode.OK;
      }
      ReadinessReport gate = new ReadinessCheck(desk, to, expectedProcesses).once();
      if (!gate.isReady()) {
        return gate.print(format, office.console());
      }
      RotationJob rotationJob = started(desk.orders().start(wanted, from, to, expectedProcesses));
      boolean follows =
          waiting.waits()
              || wanted == Kind.DRY_RUN
              || (office.console().isTerminal() && format == OutputFormat.TABLE);
      return follows
          ? followed(desk, rotationJob, waiting, format)
          : left(desk, rotationJob, format);
    }
  }

  /// Ordering it again does no harm.
  private static boolean isDone(Keystore keystore, Kind kind, KekVersion from, KekVersion to) {
    return keystore.rotation() instanceof Completed(RotationJob rotationJob)
        && rotationJob.kind() == kind
        && rotationJob.from().equals(from)
        && rotationJob.to().equals(to);
  }

  private static RotationJob started(Result result) {
    Keystore keystore =
        switch (result) {
          case Done(Keystore after) -> after;
          case Unchanged(Keystore same) -> same;
          case Refused(String reason) -> throw refused(reason);
        };
    return Rotation.unfinishedJob(keystore.rotation()).orElseThrow();
  }

  private static CommandException refused(String reason) {
    return CommandException.unmet(
        reason,
        reason.contains("worker")
            ? "keyfleet server --roles worker, on a host that holds both versions"
            : "keyfleet kek status");
  }

  private int left(CommandSession desk, RotationJob rotationJob, OutputFormat format) {
    if (format == OutputFormat.JSON) {
      RotationStatus.at(desk).print(format, office.console().out());
    } else {
      office
          .console()
          .err()
          .println(
              "%s -> %s: rotation %s is ordered"
                  .formatted(rotationJob.from(), rotationJob.to(), rotationJob.id()));
      office.console().err().println("To see it: keyfleet kek watch");
    }
    return ExitCode.OK;
  }

  private int followed(
      CommandSession desk, RotationJob rotationJob, WaitOptions waiting, OutputFormat format) {
    Console console = office.console();
    boolean limited = waiting.waits() || rotationJob.kind() == Kind.DRY_RUN;
    Deadline deadline = limited ? waiting.deadline(desk.ticker()) : Deadline.never(desk.ticker());
    DisplayMode manner =
        format == OutputFormat.JSON ? DisplayMode.NOTHING : DisplayMode.of(console, format);
    RotationStatus last =
        new RotationWatcher(desk, console, new RotationDisplay(console, manner))
            .until(view -> view.endOf(rotationJob.id()).isPresent(), deadline);
    if (format == OutputFormat.JSON) {
      last.print(format, console.out());
    }
    return new RotationReport(rotationJob, last).exit(console);
  }
}
