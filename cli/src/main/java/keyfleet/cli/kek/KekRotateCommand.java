package keyfleet.cli.kek;

import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.ExpectedProcessOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.WaitOptions;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.kek.RotationDisplay.DisplayMode;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.KeyringOperations.Contended;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.RotationJob.Kind;
import picocli.CommandLine.ParseResult;

/// `kek rotate` and `kek revoke`: start a rotation from one version to another.
///
/// The command checks the gate first, so that the operator sees at once which processes are not
/// ready. The driver checks it again, and only that check decides.
public record KekRotateCommand(CommandContext context, Kind kind) implements Command {
  private static final String FROM = "--from-version";
  private static final String TO = "--to-version";
  private static final String DRY_RUN = "--dry-run";
  private static final String YES = "--yes";

  @Override
  public CommandOptions options() {
    CommandOptions options =
        CommandOptions.of(
            this,
            kind == Kind.ROTATION
                ? "Moves all records to another version and makes it active."
                : "Re-encrypts all records because a version is compromised.",
            "Workers move the records. On a terminal this command shows the progress; elsewhere it"
                + " returns once the rotation is started, unless --wait is given. Ctrl-C ends the"
                + " command, not the rotation.",
            "Exit: 0 started or completed; 2 not ready, refused or not completed; 1 bad input.");
    options.flag(DRY_RUN, "Check the gate and the data key of every record, and change nothing.");
    if (kind == Kind.REVOCATION) {
      options.flag(YES, "Do not ask for confirmation.");
    }
    return WaitOptions.addWithProof(ExpectedProcessOptions.addTo(options))
        .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .required(FROM, "N", "The version to replace, which is active now.")
        .required(TO, "N", "The version to make active.")
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    KekVersion from = KeyOptions.version(parsed, FROM);
    KekVersion to = KeyOptions.version(parsed, TO);
    OutputFormat format = OutputFormat.of(parsed);
    WaitOptions waitOptions = WaitOptions.of(parsed);
    if (from.equals(to)) {
      throw new CommandException(FROM + " and " + TO + " are the same", "keyfleet kek list");
    }
    Kind requestedKind = parsed.matchedOptionValue(DRY_RUN, false) ? Kind.DRY_RUN : kind;
    ExpectedProcesses expectedProcesses =
        ExpectedProcessOptions.of(parsed, context.runtime().get().environment());
    try (CommandSession session = context.openSession(parsed)) {
      Keystore keystore = session.requireKeystore();
      if (isAlreadyDone(keystore, requestedKind, from, to) && session.findSafeHold().isEmpty()) {
        RotationStatus.read(session).print(format, context.console().out());
        return ExitCode.OK;
      }
      boolean isNew = Rotation.unfinishedJob(keystore.rotation()).isEmpty();
      if (isNew && from.equals(keystore.active())) {
        FormerVersion.refuse(session, keystore, to);
      }
      ReadinessReport readiness = new ReadinessCheck(session, to, expectedProcesses).check();
      if (!readiness.isReady()) {
        return readiness.print(format, context.console());
      }
      if (isNew) {
        reportUnusableRecords(session, keystore, requestedKind);
      }
      if (requestedKind == Kind.REVOCATION && !parsed.matchedOptionValue(YES, false)) {
        confirmRevocation(session, from, to);
      }
      Result result = session.keyringOperations().start(requestedKind, from, to, expectedProcesses);
      RotationJob job = requireStarted(session, result);
      boolean shouldWatch =
          waitOptions.shouldWait()
              || requestedKind == Kind.DRY_RUN
              || (context.console().isTerminal() && format == OutputFormat.TABLE);
      return shouldWatch
          ? watch(session, job, waitOptions, format)
          : reportStarted(session, job, format);
    }
  }

  /// A rotation could not move these records, and would end blocked. A revocation must not wait for
  /// them.
  private void reportUnusableRecords(
      CommandSession session, Keystore keystore, Kind requestedKind) {
    List<UnusableRecords> unusable =
        UnusableRecords.find(session, keystore, EnvelopeInventory.countReachable(session));
    unusable.forEach(it -> context.console().printMessage(Console.sanitize(it.line())));
    if (!unusable.isEmpty() && requestedKind != Kind.REVOCATION) {
      throw UnusableRecords.failure(session.keyring(), unusable);
    }
  }

  /// A revocation marks the version as compromised for good and encrypts every record again.
  private void confirmRevocation(CommandSession session, KekVersion from, KekVersion to) {
    Console console = context.console();
    String command =
        "keyfleet kek revoke %s=%d %s=%d%s %s"
            .formatted(
                FROM,
                from.number(),
                TO,
                to.number(),
                KeyOptions.keyringFlag(session.keyring()),
                YES);
    if (!console.isTerminal()) {
      throw new CommandException("revoking " + from + " needs " + YES, command);
    }
    boolean agreed =
        console
            .ask(
                "Revoke %s/%s, mark it as compromised and encrypt every record again under %s? [y/N]"
                    .formatted(session.keyring(), from, to))
            .matches("[yY]|[yY]es");
    if (!agreed) {
      throw new CommandException("nothing was changed", command);
    }
  }

  /// Whether the last rotation was the same one and has completed.
  private static boolean isAlreadyDone(
      Keystore keystore, Kind kind, KekVersion from, KekVersion to) {
    return keystore.rotation() instanceof Completed(RotationJob job)
        && job.kind() == kind
        && job.from().equals(from)
        && job.to().equals(to);
  }

  private static RotationJob requireStarted(CommandSession session, Result result) {
    Keystore keystore =
        switch (result) {
          case Done(Keystore after) -> after;
          case Unchanged(Keystore same) -> same;
          case Contended _ -> throw OperationReport.contended(session.keyring());
          case Refused refused -> throw refusal(session, refused.reason());
        };
    return Rotation.unfinishedJob(keystore.rotation()).orElseThrow();
  }

  private static CommandException refusal(CommandSession session, String reason) {
    boolean hasWorker = session.keyringOperations().hasFreshWorker(session.requireKeystore());
    return CommandException.conditionNotMet(
        reason,
        session.remedyOfRefusal(
            hasWorker
                ? "keyfleet kek status" + KeyOptions.keyringFlag(session.keyring())
                : "start a worker on a host that holds both versions: keyfleet server --roles worker"));
  }

  private int reportStarted(CommandSession session, RotationJob job, OutputFormat format) {
    if (format == OutputFormat.JSON) {
      RotationStatus.read(session).print(format, context.console().out());
    } else {
      Console console = context.console();
      console.printMessage(
          "%s -> %s: rotation %s started".formatted(job.from(), job.to(), job.id()));
      console.printMessage(
          "To watch it: "
              + console.complete("keyfleet kek watch" + KeyOptions.keyringFlag(session.keyring())));
    }
    return ExitCode.OK;
  }

  /// The plugins have flipped. What is left takes as long as the objects need to be rewritten.
  private int reportFlipped(RotationJob job, RotationStatus last) {
    Console console = context.console();
    console.printMessage(
        "%s -> %s: every plugin announces %s; the objects in etcd still need %s"
            .formatted(job.from(), job.to(), job.to(), job.from()));
    console.printMessage(
        "Rewrite them through the API servers, for example: kubectl get secrets -A -o json | kubectl"
            + " replace -f -");
    console.printMessage(
        "Then: "
            + console.complete(
                "keyfleet kek attest --version=%d --reason=TEXT%s"
                    .formatted(job.from().number(), KeyOptions.keyringFlag(last.keyring()))));
    return ExitCode.OK;
  }

  private int watch(
      CommandSession session, RotationJob job, WaitOptions waitOptions, OutputFormat format) {
    Console console = context.console();
    boolean isLimited = waitOptions.shouldWait() || job.kind() == Kind.DRY_RUN;
    Deadline deadline =
        isLimited ? waitOptions.startDeadline(session.ticker()) : Deadline.never(session.ticker());
    DisplayMode displayMode =
        format == OutputFormat.JSON ? DisplayMode.NOTHING : DisplayMode.of(console, format);
    RotationStatus last =
        new RotationWatcher(session, console, new RotationDisplay(console, displayMode))
            .watchUntil(
                status ->
                    status.outcomeOf(job.id()).isPresent()
                        || (status.awaitsAttestation() && !waitOptions.isForProof()),
                deadline);
    if (format == OutputFormat.JSON) {
      last.print(format, console.out());
    }
    return last.awaitsAttestation() && !waitOptions.isForProof()
        ? reportFlipped(job, last)
        : new RotationReport(job, last).print(console);
  }
}
