package keyfleet.cli.kek;

import java.time.Duration;
import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.kek.KeyDestroyer.DestroyedKeys;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.KeyringOperations.Contended;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import keyfleet.keyring.VersionState;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `kek remove`: disables a version that nothing needs, and later destroys it.
public record KekRemoveCommand(CommandContext context) implements Command {
  private static final String YES = "--yes";
  private static final String UNDO = "--undo";
  private static final String DESTROY = "--destroy";
  private static final String WAIVE_FENCE = "--waive-fence";
  private static final String HORIZON = ConfigKeys.BACKUP_HORIZON.flag();

  /// How long a backup may exist that needs the version.
  private static final Duration DEFAULT_HORIZON = Duration.ofDays(30);

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Disables a version that nothing needs any more.",
            "After that no process needs its key. --undo enables the version again.",
            "With --destroy the version is given up for good: this deletes its key where this host can,"
                + " and says what else to delete; then run the same command again.",
            "Exit: 0 done; 2 something still needs the version, with each reason; 1 an error.")
        .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .required(KeyOptions.VERSION, "N", "The version to remove.")
        .flag(YES, "Do not ask for confirmation.")
        .flag(UNDO, "Enable a disabled version again, for opening only.")
        .flag(DESTROY, "Destroy a disabled version; this cannot be undone.")
        .flag(WAIVE_FENCE, "With --destroy: also where no fence stops a paused writer.")
        .add(ConfigKeys.BACKUP_HORIZON)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    KekVersion version = KeyOptions.version(parsed);
    OutputFormat format = OutputFormat.of(parsed);
    boolean isUndo = parsed.matchedOptionValue(UNDO, false);
    boolean isDestroy = parsed.matchedOptionValue(DESTROY, false);
    Duration horizon =
        ConfigKeys.BACKUP_HORIZON
            .find(parsed, context.runtime().get().environment())
            .orElse(DEFAULT_HORIZON);
    if (isUndo && isDestroy) {
      throw new CommandException(
          UNDO + " and " + DESTROY + " cannot be combined", "leave one of the two out");
    }
    if (parsed.hasMatchedOption(WAIVE_FENCE) && !isDestroy) {
      throw new CommandException(WAIVE_FENCE + " has no effect without " + DESTROY, DESTROY);
    }
    if (parsed.hasMatchedOption(HORIZON) && !isDestroy) {
      throw new CommandException(
          HORIZON + " has no effect without " + DESTROY, "leave " + HORIZON + " out");
    }
    try (CommandSession session = context.openSession(parsed)) {
      Keystore keystore = session.requireKeystore();
      FenceWaiver waiver =
          parsed.matchedOptionValue(WAIVE_FENCE, false) ? FenceWaiver.GIVEN : FenceWaiver.NONE;
      String command =
          "keyfleet kek remove --version=%d%s%s%s"
              .formatted(
                  version.number(),
                  isUndo ? " " + UNDO : isDestroy ? " " + DESTROY : "",
                  waiver == FenceWaiver.GIVEN ? " " + WAIVE_FENCE : "",
                  KeyOptions.keyringFlag(session.keyring()));
      if (!isUndo && !parsed.matchedOptionValue(YES, false)) {
        confirm(session.keyring() + "/" + version, isDestroy, command);
      }
      if (isDestroy) {
        return destroy(session, keystore, version, horizon, waiver, format, command);
      }
      Result result =
          isUndo ? session.removalOperations().undo(version) : disable(session, keystore, version);
      return report(session, version, result, format, command);
    }
  }

  private void confirm(String name, boolean isPermanent, String command) {
    Console console = context.console();
    if (!console.isTerminal()) {
      if (isPermanent) {
        throw new CommandException("destroying " + name + " needs " + YES, command + " " + YES);
      }
      return;
    }
    boolean agreed =
        isPermanent
            ? console
                .ask(
                    "This deletes the key of %1$s where this host can, and cannot be undone. Type %1$s to destroy it:"
                        .formatted(name))
                .equals(name)
            : console.ask("Disable " + name + "? [y/N]").matches("[yY]|[yY]es");
    if (!agreed) {
      throw new CommandException("nothing was changed", command + " " + YES);
    }
  }

  private static Result disable(CommandSession session, Keystore keystore, KekVersion version) {
    return hasState(keystore, version, VersionState.DISABLED)
        ? new Unchanged(keystore)
        : session.removalOperations().disable(version);
  }

  /// The first call marks the version as destroying. It and each later call delete what this host
  /// can delete. The version is destroyed once no process and no provider of this host has its key.
  private int destroy(
      CommandSession session,
      Keystore keystore,
      KekVersion version,
      Duration horizon,
      FenceWaiver waiver,
      OutputFormat format,
      String command) {
    Result result = new Unchanged(keystore);
    if (!hasState(keystore, version, VersionState.DESTROYING)
        && !hasState(keystore, version, VersionState.DESTROYED)) {
      result = session.removalOperations().destroy(version, horizon, waiver);
    }
    Keystore after = keystoreOf(result, keystore);
    if (!hasState(after, version, VersionState.DESTROYING)) {
      return report(session, version, result, format, command);
    }
    DestroyedKeys keys = new KeyDestroyer(session, context.console(), after, version).run();
    if (keys.remaining().isEmpty()) {
      result = session.removalOperations().markDestroyed(version);
    } else if (result instanceof Unchanged) {
      result = new Refused(keys.remaining());
    }
    return report(session, version, result, keys, format, command);
  }

  private static Keystore keystoreOf(Result result, Keystore before) {
    return switch (result) {
      case Done(Keystore after) -> after;
      case Unchanged(Keystore same) -> same;
      case Contended _, Refused _ -> before;
    };
  }

  private static boolean hasState(Keystore keystore, KekVersion version, VersionState state) {
    return keystore.stateOf(version).filter(state::equals).isPresent();
  }

  private int report(
      CommandSession session,
      KekVersion version,
      Result result,
      OutputFormat format,
      String command) {
    DestroyedKeys none = new DestroyedKeys(List.of(), List.of());
    return report(session, version, result, none, format, command);
  }

  private int report(
      CommandSession session,
      KekVersion version,
      Result result,
      DestroyedKeys keys,
      OutputFormat format,
      String command) {
    List<String> reasons = result instanceof Refused(List<String> all) ? all : List.of();
    Keystore keystore =
        switch (result) {
          case Done(Keystore after) -> after;
          case Unchanged(Keystore same) -> same;
          case Refused _ -> session.requireKeystore();
          case Contended _ -> throw OperationReport.contended(session.keyring());
        };
    if (format == OutputFormat.JSON) {
      String state = keystore.stateOf(version).map(EnumText::toSnakeCase).orElse("unknown");
      print(session, version, state, reasons, keys);
    }
    String state = keystore.stateOf(version).map(EnumText::toKebabCase).orElse("unknown");
    if (reasons.isEmpty()) {
      context.console().printMessage("%s %s is %s".formatted(session.keyring(), version, state));
      keys.remaining().forEach(this::printReason);
      printHint(keystore, version, command);
      return ExitCode.OK;
    }
    context.console().printMessage("keyfleet: %s stays %s:".formatted(version, state));
    reasons.forEach(this::printReason);
    context
        .console()
        .printRemedy(
            keystore.versions().containsKey(version)
                ? "run the same command again, when none of these reasons holds"
                : "keyfleet kek list" + KeyOptions.keyringFlag(session.keyring()));
    return ExitCode.CONDITION_NOT_MET;
  }

  private void printReason(String reason) {
    context.console().printMessage("  " + Console.sanitize(reason));
  }

  private void printHint(Keystore keystore, KekVersion version, String command) {
    if (hasState(keystore, version, VersionState.DESTROYING)) {
      context
          .console()
          .printMessage(
              "Now delete its key everywhere, then: " + context.console().complete(command));
    }
  }

  private void print(
      CommandSession session,
      KekVersion version,
      String state,
      List<String> reasons,
      DestroyedKeys keys) {
    JsonOutput.print(
        context.console().out(),
        json -> {
          json.writeStringProperty("keyring", session.keyring().value())
              .writeNumberProperty("version", version.number())
              .writeStringProperty("state", state)
              .writeBooleanProperty("done", reasons.isEmpty());
          json.writeArrayPropertyStart("reasons");
          reasons.forEach(json::writeString);
          json.writeEndArray();
          writeIfAny(json, "deleted", keys.deleted());
          writeIfAny(json, "remaining", reasons.isEmpty() ? keys.remaining() : List.of());
        });
  }

  private static void writeIfAny(JsonGenerator json, String name, List<String> texts) {
    if (!texts.isEmpty()) {
      json.writeArrayPropertyStart(name);
      texts.forEach(json::writeString);
      json.writeEndArray();
    }
  }
}
