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

  private final CommandContext context;
  private final Kind kind;

  public KekRotateCommand(CommandContext context, Kind kind) {
    this.context = context;
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
    WaitOptions waitOptions = WaitOptions.of(parsed);
    if (from.equals(to)) {
      throw new CommandException(FROM + " and " + TO + " are the same", TO + "=2");
    }
    Kind requestedKind = parsed.matchedOptionValue(DRY_RUN, false) ? Kind.DRY_RUN : kind;
    ExpectedProcesses expectedProcesses =
        ExpectedProcessOptions.of(parsed, context.runtime().get().environment());
    try (CommandSession session = context.openSession(parsed)) {
      if (isAlreadyDone(session.requireKeystore(), requestedKind, from, to)) {
        RotationStatus.read(session).print(format, context.console().out());
        return ExitCode.OK;
      }
      ReadinessReport readiness = new ReadinessCheck(session, to, expectedProcesses).check();
      if (!readiness.isReady()) {
        return readiness.print(format, context.console());
      }
      RotationJob rotationJob =
          requireStarted(
              session.rotationOrders().start(requestedKind, from, to, expectedProcesses));
      boolean shouldWatch =
          waitOptions.shouldWait()
              || requestedKind == Kind.DRY_RUN
              || (context.console().isTerminal() && format == OutputFormat.TABLE);
      return shouldWatch
          ? watch(session, rotationJob, waitOptions, format)
          : reportStarted(session, rotationJob, format);
    }
  }

  /// Ordering it again does no harm.
  private static boolean isAlreadyDone(
      Keystore keystore, Kind kind, KekVersion from, KekVersion to) {
    return keystore.rotation() instanceof Completed(RotationJob rotationJob)
        && rotationJob.kind() == kind
        && rotationJob.from().equals(from)
        && rotationJob.to().equals(to);
  }

  private static RotationJob requireStarted(Result result) {
    Keystore keystore =
        switch (result) {
          case Done(Keystore after) -> after;
          case Unchanged(Keystore same) -> same;
          case Refused(String reason) -> throw refusal(reason);
        };
    return Rotation.unfinishedJob(keystore.rotation()).orElseThrow();
  }

  private static CommandException refusal(String reason) {
    return CommandException.conditionNotMet(
        reason,
        reason.contains("worker")
            ? "keyfleet server --roles worker, on a host that holds both versions"
            : "keyfleet kek status");
  }

  private int reportStarted(CommandSession session, RotationJob rotationJob, OutputFormat format) {
    if (format == OutputFormat.JSON) {
      RotationStatus.read(session).print(format, context.console().out());
    } else {
      context
          .console()
          .err()
          .println(
              "%s -> %s: rotation %s is ordered"
                  .formatted(rotationJob.from(), rotationJob.to(), rotationJob.id()));
      context.console().err().println("To see it: keyfleet kek watch");
    }
    return ExitCode.OK;
  }

  private int watch(
      CommandSession session,
      RotationJob rotationJob,
      WaitOptions waitOptions,
      OutputFormat format) {
    Console console = context.console();
    boolean isLimited = waitOptions.shouldWait() || rotationJob.kind() == Kind.DRY_RUN;
    Deadline deadline =
        isLimited ? waitOptions.startDeadline(session.ticker()) : Deadline.never(session.ticker());
    DisplayMode displayMode =
        format == OutputFormat.JSON ? DisplayMode.NOTHING : DisplayMode.of(console, format);
    RotationStatus last =
        new RotationWatcher(session, console, new RotationDisplay(console, displayMode))
            .watchUntil(view -> view.outcomeOf(rotationJob.id()).isPresent(), deadline);
    if (format == OutputFormat.JSON) {
      last.print(format, console.out());
    }
    return new RotationReport(rotationJob, last).print(console);
  }
}
