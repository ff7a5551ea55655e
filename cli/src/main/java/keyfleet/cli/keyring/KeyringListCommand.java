package keyfleet.cli.keyring;

import java.util.LinkedHashMap;
import java.util.Map;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.cli.output.TextTable;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.document.KeystoreStore;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `keyring list`: prints the keyrings of a store.
public record KeyringListCommand(CommandContext context) implements Command {
  @Override
  public CommandOptions options() {
    return CommandOptions.of(this, "Lists the keyrings of a store.")
        .add(ConfigKeys.STORE)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (StoreConnections stores = StoreOptions.open(parsed, context.forReading())) {
      Map<KeyringName, Keystore> keystores = new LinkedHashMap<>();
      KeystoreStore.list(stores.kvForPages())
          .forEach((name, stored) -> keystores.put(name, stored.keystore()));
      format.print(
          context.console().out(),
          out -> toTable(keystores).print(out),
          json -> write(json, keystores));
      return ExitCode.OK;
    }
  }

  private static TextTable toTable(Map<KeyringName, Keystore> keystores) {
    TextTable table = new TextTable("KEYRING", "USE", "ACTIVE", "EPOCH", "ROTATION");
    keystores.forEach((name, keystore) ->
        table.addRow(
            name.value(),
            EnumText.toKebabCase(keystore.identity().use()),
            keystore.active().toString(),
            Long.toString(keystore.epoch()),
            keystore.rotation().phase()));
    return table;
  }

  private static void write(JsonGenerator json, Map<KeyringName, Keystore> keystores) {
    json.writeArrayPropertyStart("keyrings");
    keystores.forEach((name, keystore) ->
        json.writeStartObject()
            .writeStringProperty("keyring", name.value())
            .writeStringProperty("use", EnumText.toSnakeCase(keystore.identity().use()))
            .writeNumberProperty("active", keystore.active().number())
            .writeNumberProperty("epoch", keystore.epoch())
            .writeStringProperty("rotation", keystore.rotation().phase())
            .writeEndObject());
    json.writeEndArray();
  }
}
