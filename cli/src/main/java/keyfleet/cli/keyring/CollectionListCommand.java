package keyfleet.cli.keyring;

import java.util.ArrayList;
import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.cli.output.TextTable;
import keyfleet.control.rotation.FleetOperations.RegisteredCollection;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `collection list`: prints the collections whose records a keyring protects.
public record CollectionListCommand(CommandContext context) implements Command {
  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Lists the registered collections of a keyring.",
            "A collection that this host cannot open shows what it last held.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSessionForListing(parsed)) {
      session.requireKeystore();
      List<RegisteredCollection> all = new ArrayList<>(session.fleetOperations().listCollections());
      format.print(
          context.console().out(), out -> toTable(all).print(out), json -> write(json, all));
      return ExitCode.OK;
    }
  }

  private static TextTable toTable(List<RegisteredCollection> all) {
    TextTable table = new TextTable("ENGINE", "COLLECTION", "FIELDS", "STATE", "LAST COUNT");
    for (RegisteredCollection it : all) {
      table.addRow(
          it.registration().engine(),
          Console.sanitize(it.registration().collection()),
          Console.sanitize(String.join(", ", it.registration().sealedFields())),
          EnumText.toKebabCase(it.state()),
          it.lastCount());
    }
    return table;
  }

  private static void write(JsonGenerator json, List<RegisteredCollection> all) {
    json.writeArrayPropertyStart("collections");
    for (RegisteredCollection it : all) {
      json.writeStartObject()
          .writeStringProperty("engine", it.registration().engine())
          .writeStringProperty("collection", it.registration().collection())
          .writeStringProperty("state", EnumText.toSnakeCase(it.state()))
          .writeStringProperty("last_count", it.lastCount());
      json.writeArrayPropertyStart("fields");
      it.registration().sealedFields().forEach(json::writeString);
      json.writeEndArray().writeEndObject();
    }
    json.writeEndArray();
  }
}
