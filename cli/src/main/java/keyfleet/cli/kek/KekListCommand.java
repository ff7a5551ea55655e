package keyfleet.cli.kek;

import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.cli.output.TextTable;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionEntry;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `kek list`: prints the versions of a keyring, their states, and how many processes have loaded
/// each.
public record KekListCommand(CommandContext context) implements Command {
  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Lists the versions of a keyring.",
            "LOADED counts the fresh processes that hold a version, CURRENT those that seal under"
                + " it.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSessionForListing(parsed)) {
      Keystore keystore = session.requireKeystore();
      var timings = keystore.timings();
      List<Heartbeat> fresh = session.keyringStore().readRoster(timings).fresh(timings.fresh());
      Optional<HoldNotice> hold = session.findSafeHold().map(HoldNotice::new);
      format.print(
          context.console().out(),
          out -> printTable(keystore, fresh, out),
          json -> {
            json.writeStringProperty("keyring", session.keyring().value());
            hold.ifPresent(it -> it.write(json));
            write(json, keystore, fresh);
          });
      hold.ifPresent(it -> it.print(context.console(), session.keyring()));
      return ExitCode.OK;
    }
  }

  private static void printTable(Keystore keystore, List<Heartbeat> fresh, PrintStream out) {
    TextTable table = new TextTable("VERSION", "STATE", "PROVIDER", "LOADED", "CURRENT");
    keystore
        .versions()
        .forEach((version, entry) ->
            table.addRow(
                version.toString(),
                stateText(entry),
                entry.provider(),
                countLoaded(version, fresh) + "/" + fresh.size(),
                countCurrent(version, fresh) + "/" + fresh.size()));
    table.print(out);
  }

  private static void write(JsonGenerator json, Keystore keystore, List<Heartbeat> fresh) {
    json.writeStringProperty("use", EnumText.toSnakeCase(keystore.identity().use()))
        .writeNumberProperty("epoch", keystore.epoch())
        .writeNumberProperty("active", keystore.active().number())
        .writeNumberProperty("processes", fresh.size());
    json.writeArrayPropertyStart("versions");
    keystore
        .versions()
        .forEach((version, entry) ->
            json.writeStartObject()
                .writeNumberProperty("version", version.number())
                .writeStringProperty("state", EnumText.toSnakeCase(entry.state()))
                .writeBooleanProperty("compromised", keystore.isCompromised(version))
                .writeStringProperty("provider", entry.provider())
                .writeNumberProperty("loaded", countLoaded(version, fresh))
                .writeNumberProperty("current", countCurrent(version, fresh))
                .writeEndObject());
    json.writeEndArray();
  }

  private static String stateText(VersionEntry entry) {
    String state = EnumText.toKebabCase(entry.state());
    return entry.trust() == VersionEntry.Trust.COMPROMISED ? state + ", compromised" : state;
  }

  private static long countLoaded(KekVersion version, List<Heartbeat> fresh) {
    return fresh.stream().filter(it -> it.loadedVersions().containsKey(version)).count();
  }

  private static long countCurrent(KekVersion version, List<Heartbeat> fresh) {
    return fresh.stream().filter(it -> version.equals(it.current())).count();
  }
}
