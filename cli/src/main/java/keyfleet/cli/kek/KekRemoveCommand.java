package keyfleet.cli.kek;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.ConfigKey;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.Setting;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionState;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `kek remove`: takes a version out of use when nothing needs it, and later, for ever.
public final class KekRemoveCommand implements Command {
  private static final String YES = "--yes";
  private static final String UNDO = "--undo";
  private static final String DESTROY = "--destroy";
  private static final String HORIZON = "--horizon";

  /// How long backups are kept that may need the version.
  private static final Duration USUAL_HORIZON = Duration.ofDays(30);

  private final CommandContext office;

  public KekRemoveCommand(CommandContext office) {
    this.office = office;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addTo(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addWithRecords(spec);
    spec.addOption(KeyOptions.version().required(true).description("The version.").build())
        .addOption(flag(YES, "Do not ask."))
        .addOption(flag(UNDO, "Take a disabled version into use again, for opening."))
        .addOption(flag(DESTROY, "Give up a disabled version for ever."))
        .addOption(
            OptionSpec.builder(HORIZON)
                .paramLabel("DURATION")
                .type(String.class)
                .description("With --destroy: how long backups are kept (default: 30d).")
                .build())
        .addOption(OutputFormat.option());
    spec.usageMessage()
        .description(
            "Disables a version: from then on no process needs its bytes. It can be undone.",
            "With --destroy it is given up for ever: delete its bytes everywhere, then give the"
                + " same command again.",
            "Exit: 0 done; 2 something needs it still, with each reason; 1 an error.");
    return spec;
  }

  private static OptionSpec flag(String name, String description) {
    return OptionSpec.builder(name).type(boolean.class).description(description).build();
  }

  @Override
  public int run(ParseResult parsed) {
    KekVersion version = KeyOptions.version(parsed);
    OutputFormat format = OutputFormat.of(parsed);
    boolean undo = parsed.matchedOptionValue(UNDO, false);
    boolean destroy = parsed.matchedOptionValue(DESTROY, false);
    Duration horizon = horizon(parsed);
    if (undo && destroy) {
      throw new CommandException(UNDO + " and " + DESTROY + " exclude each other", UNDO);
    }
    if (parsed.hasMatchedOption(HORIZON) && !destroy) {
      throw new CommandException(HORIZON + " means nothing without " + DESTROY, DESTROY);
    }
    try (CommandSession desk = office.desk(parsed)) {
      Keystore keystore = desk.keystore();
      if (!undo && !parsed.matchedOptionValue(YES, false)) {
        confirm(desk.keyring() + "/" + version, destroy);
      }
      Result result =
          undo
              ? desk.removals().undo(version)
              : destroy
                  ? destroyed(desk, keystore, version, horizon)
                  : disabled(desk, keystore, version);
      return said(desk, version, result, format);
    }
  }

  private Duration horizon(ParseResult parsed) {
    return Setting.of(
            parsed, HORIZON, ConfigKey.BACKUP_HORIZON, office.around().get().environment())
        .map(given -> given.duration("30d"))
        .orElse(USUAL_HORIZON);
  }

  private void confirm(String name, boolean forEver) {
    Console console = office.console();
    if (!console.isTerminal()) {
      if (forEver) {
        throw new CommandException("destroying " + name + " needs " + YES, YES);
      }
      return;
    }
    boolean agreed =
        forEver
            ? console.answer("This cannot be undone. Type " + name + " to destroy it:").equals(name)
            : console.answer("Disable " + name + "? [y/N]").matches("[yY]|[yY]es");
    if (!agreed) {
      throw new CommandException("nothing was changed", "the same with " + YES);
    }
  }

  private static Result disabled(CommandSession desk, Keystore keystore, KekVersion version) {
    return isIn(keystore, version, VersionState.DISABLED)
        ? new Unchanged(keystore)
        : desk.removals().disable(version);
  }

  /// First it is given up; when its bytes are seen to be gone, it is destroyed.
  private static Result destroyed(
      CommandSession desk, Keystore keystore, KekVersion version, Duration horizon) {
    if (isIn(keystore, version, VersionState.DESTROYED)) {
      return new Unchanged(keystore);
    }
    if (!isIn(keystore, version, VersionState.DESTROYING)) {
      return desk.removals().destroy(version, horizon);
    }
    List<String> holders = holders(desk, keystore, version);
    return holders.isEmpty()
        ? desk.removals().markDestroyed(version)
        : new Refused(String.join("; ", holders));
  }

  private static List<String> holders(CommandSession desk, Keystore keystore, KekVersion version) {
    List<String> holders = new ArrayList<>();
    for (Heartbeat beat : desk.keyringStore().readRoster(keystore.timings()).heartbeats()) {
      if (beat.loadedVersion().containsKey(version)) {
        holders.add(new ProcessLine(beat).name() + " still holds its bytes");
      }
    }
    if (desk.keys().loaded().providerByVersion().containsKey(version)) {
      holders.add("this host still holds its bytes");
    }
    return holders;
  }

  private static boolean isIn(Keystore keystore, KekVersion version, VersionState state) {
    return keystore.stateOf(version).filter(state::equals).isPresent();
  }

  private int said(CommandSession desk, KekVersion version, Result result, OutputFormat format) {
    List<String> reasons =
        result instanceof Refused(String all) ? List.of(all.split("; ")) : List.of();
    Keystore keystore =
        switch (result) {
          case Done(Keystore after) -> after;
          case Unchanged(Keystore same) -> same;
          case Refused _ -> desk.keystore();
        };
    String state = keystore.stateOf(version).map(EnumText::snake).orElse("unknown");
    if (format == OutputFormat.JSON) {
      print(desk, version, state, reasons);
    }
    if (reasons.isEmpty()) {
      office.console().err().println("%s %s is %s".formatted(desk.keyring(), version, state));
      hint(keystore, version);
      return ExitCode.OK;
    }
    office.console().err().println("keyfleet: %s stays %s:".formatted(version, state));
    reasons.forEach(it -> office.console().err().println("  " + Console.plain(it)));
    office.console().err().println("Try: the same again when none of this holds");
    return ExitCode.CONDITION_NOT_MET;
  }

  private void hint(Keystore keystore, KekVersion version) {
    if (isIn(keystore, version, VersionState.DESTROYING)) {
      office
          .console()
          .err()
          .println("Now delete its bytes everywhere, then give the same command again.");
    }
  }

  private void print(CommandSession desk, KekVersion version, String state, List<String> reasons) {
    JsonOutput.print(
        office.console().out(),
        json -> {
          json.writeStringProperty("keyring", desk.keyring().value())
              .writeNumberProperty("version", version.number())
              .writeStringProperty("state", state)
              .writeBooleanProperty("done", reasons.isEmpty());
          json.writeArrayPropertyStart("reasons");
          reasons.forEach(json::writeString);
          json.writeEndArray();
        });
  }
}
