package keyfleet.cli;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `secret list`: the names, and the version each is sealed under.
final class SecretList implements Command {
  /// Records come with their values, and a value may be large.
  private static final int PAGE = 16;

  private record Listing(Map<String, KekVersion> names, long unreadable) {}

  private final Office office;

  SecretList(Office office) {
    this.office = office;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addKeyring(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addWithRecords(spec).addOption(OutputFormat.option());
    spec.usageMessage().description("Lists the names of all secrets; no value is opened.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (Desk desk = office.desk(parsed)) {
      Listing listing =
          SecretShelf.found(desk)
              .map(shelf -> listing(shelf.records()))
              .orElseGet(() -> new Listing(Map.of(), 0));
      switch (format) {
        case TABLE -> printTable(listing);
        case JSON -> Json.print(office.console().out(), json -> write(json, listing));
      }
      return Exit.OK;
    }
  }

  private static Listing listing(Records records) {
    Census census = records.census();
    Map<String, KekVersion> names = new TreeMap<>();
    for (KekVersion version : census.belonging().keySet()) {
      List<StoredRecord> page = records.scan(version, PAGE);
      while (!page.isEmpty()) {
        page.forEach(it -> names.put(it.id().value(), version));
        page = records.scan(version, page.getLast().id(), PAGE);
      }
    }
    return new Listing(names, census.unreadable());
  }

  private void printTable(Listing listing) {
    Columns table = new Columns("NAME", "VERSION");
    listing.names().forEach((name, version) -> table.row(Console.plain(name), version.toString()));
    table.print(office.console().out());
    if (listing.unreadable() > 0) {
      office.console().err().println(listing.unreadable() + " more cannot be read as envelopes");
    }
  }

  private static void write(JsonGenerator json, Listing listing) {
    json.writeArrayPropertyStart("secrets");
    listing
        .names()
        .forEach((name, version) ->
            json.writeStartObject()
                .writeStringProperty("name", name)
                .writeNumberProperty("kek_version", version.number())
                .writeEndObject());
    json.writeEndArray().writeNumberProperty("unreadable", listing.unreadable());
  }
}
