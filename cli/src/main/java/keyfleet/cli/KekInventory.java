package keyfleet.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Registration;
import keyfleet.store.Census;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// `kek inventory`: how many records of each registered collection are under which version.
final class KekInventory implements Command {
  /// One collection that was counted.
  private record Counted(Registration where, Census census) {}

  /// One that was not, and why.
  private record NotCounted(Registration where, String reason) {}

  private static final String DECLARED = "declared, and no process has registered it yet";

  private record Inventory(KeyringName keyring, List<Counted> counted, List<NotCounted> missed) {}

  private final Office office;

  KekInventory(Office office) {
    this.office = office;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addKeyring(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addWithRecords(spec).addOption(OutputFormat.option());
    spec.usageMessage()
        .description(
            "Counts the records of every registered collection by version. BELONGING: it is the"
                + " record's lowest version; CARRYING: a field of the record needs it.",
            "Exit: 0 all were counted; 2 a collection was not, or holds what cannot be read.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (Desk desk = office.desk(parsed)) {
      Inventory inventory = take(desk);
      switch (format) {
        case TABLE -> printTable(inventory);
        case JSON -> Json.print(office.console().out(), json -> write(json, inventory));
      }
      return said(inventory);
    }
  }

  private Inventory take(Desk desk) {
    List<Counted> counted = new ArrayList<>();
    List<NotCounted> missed = new ArrayList<>();
    List<Registration> registered = desk.registry().of(desk.keyring());
    for (Registration one : registered) {
      try {
        Optional<Records> records = desk.stores().find(one);
        if (records.isPresent()) {
          counted.add(new Counted(one, records.get().census()));
        } else {
          missed.add(new NotCounted(one, "neither --store nor --records is " + one.engine()));
        }
      } catch (StoreException e) {
        missed.add(new NotCounted(one, e.getMessage()));
      }
    }
    missed.addAll(declaredOnly(desk, registered));
    return new Inventory(desk.keyring(), counted, missed);
  }

  /// Collections that the configuration hands to this keyring, and no process has taken over.
  private List<NotCounted> declaredOnly(Desk desk, List<Registration> registered) {
    String engine = desk.stores().recordsEngine();
    return office.config().get().collections().stream()
        .filter(one -> one.keyring().equals(desk.keyring()))
        .map(one -> one.registration(engine))
        .filter(one ->
            registered.stream()
                .noneMatch(
                    it -> it.engine().equals(engine) && it.collection().equals(one.collection())))
        .map(one -> new NotCounted(one, DECLARED))
        .toList();
  }

  private int said(Inventory inventory) {
    for (NotCounted one : inventory.missed()) {
      office
          .console()
          .err()
          .println("not counted: " + title(one.where()) + ": " + Console.plain(one.reason()));
    }
    long unreadable = inventory.counted().stream().mapToLong(it -> it.census().unreadable()).sum();
    if (!inventory.missed().isEmpty()) {
      office
          .console()
          .complain(
              "not all collections were counted",
              inventory.missed().stream().allMatch(it -> it.reason().equals(DECLARED))
                  ? "start a process with this configuration, which registers them"
                  : "--records with the URL of those that are missing");
      return Exit.CONDITION_NOT_MET;
    }
    if (unreadable > 0) {
      office
          .console()
          .complain(
              unreadable + " records have a field that is no envelope",
              "mend or delete them: nobody can say which version they need");
      return Exit.CONDITION_NOT_MET;
    }
    return Exit.OK;
  }

  private void printTable(Inventory inventory) {
    Columns table = new Columns("COLLECTION", "VERSION", "BELONGING", "CARRYING");
    for (Counted one : inventory.counted()) {
      for (KekVersion version : versions(one.census())) {
        table.row(
            title(one.where()),
            version.toString(),
            String.valueOf(one.census().belonging().getOrDefault(version, 0L)),
            String.valueOf(one.census().carrying().getOrDefault(version, 0L)));
      }
      if (versions(one.census()).isEmpty()) {
        table.row(title(one.where()), "-", "0", "0");
      }
      if (one.census().unreadable() > 0) {
        table.row(title(one.where()), "unreadable", String.valueOf(one.census().unreadable()), "-");
      }
    }
    table.print(office.console().out());
  }

  private static SortedSet<KekVersion> versions(Census census) {
    return new TreeSet<>(census.carrying().keySet());
  }

  private static String title(Registration where) {
    return Console.plain(where.engine() + " " + where.collection());
  }

  private static void write(JsonGenerator json, Inventory inventory) {
    json.writeStringProperty("keyring", inventory.keyring().value());
    json.writeArrayPropertyStart("collections");
    for (Counted one : inventory.counted()) {
      place(json, one.where());
      json.writeArrayPropertyStart("versions");
      for (KekVersion version : versions(one.census())) {
        json.writeStartObject()
            .writeNumberProperty("version", version.number())
            .writeNumberProperty("belonging", one.census().belonging().getOrDefault(version, 0L))
            .writeNumberProperty("carrying", one.census().carrying().getOrDefault(version, 0L))
            .writeEndObject();
      }
      json.writeEndArray()
          .writeNumberProperty("unreadable", one.census().unreadable())
          .writeEndObject();
    }
    json.writeEndArray().writeArrayPropertyStart("not_counted");
    for (NotCounted one : inventory.missed()) {
      place(json, one.where());
      json.writeStringProperty("reason", one.reason()).writeEndObject();
    }
    json.writeEndArray();
  }

  private static void place(JsonGenerator json, Registration where) {
    json.writeStartObject()
        .writeStringProperty("engine", where.engine())
        .writeStringProperty("collection", where.collection());
  }
}
