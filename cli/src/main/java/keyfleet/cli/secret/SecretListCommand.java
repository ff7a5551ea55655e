package keyfleet.cli.secret;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.cli.output.TextTable;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `secret list`: prints the names, and the version that each is sealed under.
public record SecretListCommand(CommandContext context) implements Command {
  /// A page is small because it holds the values too, which may be large.
  private static final int PAGE = 16;

  /// @param digest the digest of the sealed value, as in the audit; empty if it is not an envelope
  private record ListedSecret(KekVersion version, String digest) {}

  private record Listing(Map<String, ListedSecret> secrets, long unreadable) {}

  @Override
  public CommandOptions options() {
    return CommandOptions.of(this, "Lists the names of all secrets.", "Values are not opened.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSessionForReading(parsed)) {
      Listing listing =
          SecretCollection.find(session)
              .map(collection -> readListing(collection.records()))
              .orElseGet(() -> new Listing(Map.of(), 0));
      format.print(
          context.console().out(), out -> printTable(listing, out), json -> write(json, listing));
      return ExitCode.OK;
    }
  }

  private static Listing readListing(Records records) {
    Census census = records.census();
    Map<String, ListedSecret> secrets = new TreeMap<>();
    for (KekVersion version : census.belonging().keySet()) {
      List<StoredRecord> page = records.scan(version, PAGE);
      while (!page.isEmpty()) {
        page.forEach(it -> secrets.put(it.id().value(), toListedSecret(version, it)));
        page = records.scan(version, page.getLast().id(), PAGE);
      }
    }
    return new Listing(secrets, census.unreadable());
  }

  private static ListedSecret toListedSecret(KekVersion version, StoredRecord record) {
    return new ListedSecret(
        version, SecretCollection.parseEnvelope(record).map(Envelope::dataDigest).orElse(""));
  }

  private void printTable(Listing listing, PrintStream out) {
    TextTable table = new TextTable("NAME", "VERSION");
    listing
        .secrets()
        .forEach((name, item) -> table.addRow(Console.sanitize(name), item.version().toString()));
    table.print(out);
    if (listing.unreadable() > 0) {
      context
          .console()
          .printMessage(
              listing.unreadable()
                  + " more secrets cannot be read: their values are not envelopes");
    }
  }

  private static void write(JsonGenerator json, Listing listing) {
    json.writeArrayPropertyStart("secrets");
    listing
        .secrets()
        .forEach((name, item) ->
            json.writeStartObject()
                .writeStringProperty("name", name)
                .writeNumberProperty("kek_version", item.version().number())
                .writeStringProperty("digest", item.digest())
                .writeEndObject());
    json.writeEndArray().writeNumberProperty("unreadable", listing.unreadable());
  }
}
