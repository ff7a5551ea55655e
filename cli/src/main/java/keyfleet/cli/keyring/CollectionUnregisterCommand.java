package keyfleet.cli.keyring;

import java.util.List;
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
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.FleetOperations;
import keyfleet.control.rotation.FleetOperations.RegisteredCollection;
import picocli.CommandLine.ParseResult;

/// `collection unregister NAME`: forgets a collection that no longer exists.
public record CollectionUnregisterCommand(CommandContext context) implements Command {
  private static final String ENGINE = "--engine";

  @Override
  public CommandOptions options() {
    return Confirmation.addTo(
        CommandOptions.of(
                this,
                "Unregisters a collection that no longer exists.",
                "A registered collection that cannot be opened holds up rotations and removals. One"
                    + " that exists cannot be unregistered: its records need their keys.",
                "Exit: 0 unregistered; 2 refused, with the reason; 1 an error.")
            .parameter("NAME", "The collection, as collection list names it.")
            .text(ENGINE, "ENGINE", "Its engine, if two engines have a collection of this name.")
            .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
            .outputFormat());
  }

  @Override
  public int run(ParseResult parsed) {
    String name = parsed.matchedPositionalValue(0, "");
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSession(parsed)) {
      session.requireKeystore();
      FleetOperations operations = session.fleetOperations();
      String listing = "keyfleet collection list" + KeyOptions.keyringFlag(session.keyring());
      RegisteredCollection collection =
          find(operations, name, parsed.matchedOptionValue(ENGINE, ""), listing);
      Confirmation.require(
          context.console(),
          parsed,
          name,
          "If the collection comes back, its records may need keys that are gone; it last held "
              + collection.lastCount()
              + ".",
          "keyfleet collection unregister %s%s"
              .formatted(name, KeyOptions.keyringFlag(session.keyring())));
      return new OperationReport(
              session.keyring(),
              collection.displayName() + " is unregistered; it last held " + collection.lastCount(),
              listing)
          .print(operations.unregister(collection), format, context.console());
    }
  }

  private static RegisteredCollection find(
      FleetOperations operations, String name, String engine, String listing) {
    List<RegisteredCollection> found =
        operations.listCollections().stream()
            .filter(it -> it.registration().collection().equals(name))
            .filter(it -> engine.isEmpty() || it.registration().engine().equals(engine))
            .toList();
    if (found.size() == 1) {
      return found.getFirst();
    }
    throw new CommandException(
        found.isEmpty()
            ? "no collection " + Console.sanitize(name) + " is registered for this keyring"
            : found.size() + " engines have a collection " + name + "; name one with " + ENGINE,
        listing);
  }
}
