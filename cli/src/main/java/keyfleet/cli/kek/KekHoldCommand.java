package keyfleet.cli.kek;

import java.io.PrintStream;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.Confirmation;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.cli.output.TextTable;
import keyfleet.control.rotation.HoldOperations;
import keyfleet.control.rotation.HoldOperations.HeldKeystore;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.SafeHold;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `kek hold show|resolve`: shows which fence is ahead of the keystore, and ends the safe hold.
public record KekHoldCommand(CommandContext context) implements Command {
  private static final String ADOPT = "--adopt-fence";
  private static final String ACCEPT = "--accept-keystore";

  @Override
  public CommandOptions options() {
    return Confirmation.addTo(
        CommandOptions.of(
                this,
                "Shows a safe hold, or resolves it.",
                "A keystore is held if a fence is ahead of it: it was restored from a backup, lost its"
                    + " last write, or was created again. Until a person resolves it, processes open"
                    + " values and seal nothing.",
                "Exit: 0 no hold, or resolved; 2 held, or refused; 1 an error.")
            .parameter("show|resolve", "What to do.")
            .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS)
            .flag(ADOPT, "The fences are right: their newest version becomes active.")
            .flag(ACCEPT, "The keystore is right: the fences give way to it.")
            .outputFormat());
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    String action = parsed.matchedPositionalValue(0, "");
    boolean isAdopt = parsed.matchedOptionValue(ADOPT, false);
    boolean isAccept = parsed.matchedOptionValue(ACCEPT, false);
    KeyringName keyring = KeyOptions.keyring(parsed, context.runtime().get());
    switch (action) {
      case "show" -> {
        try (CommandSession session = context.openSessionForReading(parsed)) {
          session.requireKeystore();
          return show(session, format);
        }
      }
      case "resolve" -> {
        if (isAdopt == isAccept) {
          throw new CommandException(
              "resolve needs either " + ADOPT + " or " + ACCEPT, command("show", keyring));
        }
        try (CommandSession session = context.openSession(parsed)) {
          session.requireKeystore();
          return resolve(session, parsed, isAdopt, format);
        }
      }
      default ->
          throw new CommandException(
              Console.sanitize(action) + " is not an action; use show or resolve",
              command("show", keyring));
    }
  }

  private static String command(String action, KeyringName keyring) {
    return "keyfleet kek hold " + action + KeyOptions.keyringFlag(keyring);
  }

  private int show(CommandSession session, OutputFormat format) {
    HeldKeystore held = session.holdOperations().read().orElseThrow();
    format.print(
        context.console().out(), out -> printTable(held, out), json -> write(session, held, json));
    if (held.hold().isEmpty()) {
      context.console().printMessage("keyring " + session.keyring() + ": no hold");
      return ExitCode.OK;
    }
    context.console().printMessage("SAFE HOLD: " + held.hold().get().reason());
    context
        .console()
        .printMessage(
            "If the keystore was restored from an older backup, the fences are right; if the records"
                + " were restored or moved from another fleet, the keystore is.");
    context.console().printRemedy(command("resolve " + ADOPT, session.keyring()));
    return ExitCode.CONDITION_NOT_MET;
  }

  private static void printTable(HeldKeystore held, PrintStream out) {
    TextTable table = new TextTable("WHAT", "INCARNATION", "EPOCH", "WRITABLE");
    addRow(
        table,
        "keystore",
        new SafeHold.FenceMark(
            held.keystore().identity().incarnation(),
            held.keystore().epoch(),
            held.keystore().writable()));
    held.fences().forEach((name, fence) -> addRow(table, name, fence));
    table.print(out);
  }

  private static void addRow(TextTable table, String name, SafeHold.FenceMark mark) {
    table.addRow(
        Console.sanitize(name),
        Long.toString(mark.incarnation()),
        Long.toString(mark.epoch()),
        String.join(", ", mark.writable().stream().map(KekVersion::toString).toList()));
  }

  private static void write(CommandSession session, HeldKeystore held, JsonGenerator json) {
    json.writeStringProperty("keyring", session.keyring().value())
        .writeBooleanProperty("held", held.hold().isPresent())
        .writeStringProperty("reason", held.hold().map(SafeHold::reason).orElse(""))
        .writeNumberProperty("incarnation", held.keystore().identity().incarnation())
        .writeNumberProperty("epoch", held.keystore().epoch());
    json.writeArrayPropertyStart("fences");
    held.fences()
        .forEach((name, fence) -> {
          json.writeStartObject()
              .writeStringProperty("collection", name)
              .writeNumberProperty("incarnation", fence.incarnation())
              .writeNumberProperty("epoch", fence.epoch());
          json.writeArrayPropertyStart("writable");
          fence.writable().forEach(it -> json.writeNumber(it.number()));
          json.writeEndArray().writeEndObject();
        });
    json.writeEndArray();
  }

  private int resolve(
      CommandSession session, ParseResult parsed, boolean isAdopt, OutputFormat format) {
    KeyringName keyring = session.keyring();
    String command = command("resolve " + (isAdopt ? ADOPT : ACCEPT), keyring);
    Confirmation.require(
        context.console(),
        parsed,
        keyring.value(),
        isAdopt
            ? "The newest version that the fences accept becomes active; versions that were announced"
                + " after the backup must be announced again."
            : "Records sealed under versions that the keystore has lost cannot be opened until their"
                + " keys are announced again.",
        command);
    HoldOperations operations = session.holdOperations();
    return new OperationReport(keyring, "the hold is resolved", command("show", keyring))
        .print(
            isAdopt ? operations.adoptFences() : operations.acceptKeystore(),
            format,
            context.console());
  }
}
