package keyfleet.cli.kek;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.DeclaredCollection;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.TextTable;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.Census;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.engine.EnvelopeScan;
import tools.jackson.core.JsonGenerator;

/// Which envelopes there are: of a keyring, those in registered collections; of anyone, those that
/// nobody declared.
record EnvelopeInventory(
    KeyringName keyring,
    List<CountedCollection> counted,
    List<UncountedCollection> missed,
    EnvelopeScanReport surveys) {
  /// One collection that was counted.
  record CountedCollection(CollectionRegistration where, Census census) {}

  /// One that was not, and why.
  record UncountedCollection(CollectionRegistration where, String reason) {}

  private static final String DECLARED = "declared, and no process has registered it yet";

  static EnvelopeInventory take(CommandSession desk, List<DeclaredCollection> declared, long rows) {
    List<CountedCollection> counted = new ArrayList<>();
    List<UncountedCollection> missed = new ArrayList<>();
    List<CollectionRegistration> all = desk.collectionRegistry().allRegistrations();
    for (CollectionRegistration one : all) {
      if (one.keyring().equals(desk.keyring())) {
        count(desk, one, counted, missed);
      }
    }
    missed.addAll(declaredOnly(desk, declared, all));
    return new EnvelopeInventory(
        desk.keyring(), counted, missed, EnvelopeScanReport.take(desk.stores(), all, rows));
  }

  /// Collections that the configuration hands to this keyring, and no process has taken over.
  private static List<UncountedCollection> declaredOnly(
      CommandSession desk,
      List<DeclaredCollection> declared,
      List<CollectionRegistration> registered) {
    String engine = desk.stores().recordsEngine();
    return declared.stream()
        .filter(one -> one.keyring().equals(desk.keyring()))
        .map(one -> one.registration(engine))
        .filter(one ->
            registered.stream()
                .noneMatch(
                    it -> it.engine().equals(engine) && it.collection().equals(one.collection())))
        .map(one -> new UncountedCollection(one, DECLARED))
        .toList();
  }

  /// Whether all that is missing waits for a process to register it.
  boolean isOnlyDeclared() {
    return missed.stream().allMatch(it -> it.reason().equals(DECLARED));
  }

  private static void count(
      CommandSession desk,
      CollectionRegistration one,
      List<CountedCollection> counted,
      List<UncountedCollection> missed) {
    try {
      Optional<Records> records = desk.stores().find(one);
      if (records.isPresent()) {
        counted.add(new CountedCollection(one, records.get().census()));
      } else {
        missed.add(
            new UncountedCollection(one, "neither --store nor --records is " + one.engine()));
      }
    } catch (StoreException e) {
      missed.add(new UncountedCollection(one, e.getMessage()));
    }
  }

  long unreadable() {
    return counted.stream().mapToLong(it -> it.census().unreadable()).sum();
  }

  void printTables(PrintStream out) {
    TextTable table = new TextTable("COLLECTION", "VERSION", "BELONGING", "CARRYING");
    for (CountedCollection one : counted) {
      String title = title(one.where());
      SortedSet<KekVersion> versions = versions(one.census());
      for (KekVersion version : versions) {
        table.row(
            title,
            version.toString(),
            String.valueOf(one.census().belonging().getOrDefault(version, 0L)),
            String.valueOf(one.census().carrying().getOrDefault(version, 0L)));
      }
      if (versions.isEmpty()) {
        table.row(title, "-", "0", "0");
      }
      if (one.census().unreadable() > 0) {
        table.row(title, "unreadable", String.valueOf(one.census().unreadable()), "-");
      }
    }
    table.print(out);
    if (!surveys.undeclared().isEmpty()) {
      out.println();
      printUndeclared(out);
    }
  }

  private void printUndeclared(PrintStream out) {
    TextTable table = new TextTable("UNDECLARED", "FIELD", "FORM", "VERSION", "VALUES");
    for (EnvelopeScanReport.UndeclaredEnvelopes one : surveys.undeclared()) {
      EnvelopeScan.Finding finding = one.finding();
      String title = Console.plain(one.engine() + " " + finding.collection());
      String field = Console.plain(finding.field());
      String form = EnumText.of(finding.encoding());
      for (Map.Entry<KekVersion, Long> it : finding.versions().entrySet()) {
        table.row(title, field, form, it.getKey().toString(), it.getValue().toString());
      }
      if (finding.unreadable() > 0) {
        table.row(title, field, form, "unreadable", String.valueOf(finding.unreadable()));
      }
    }
    table.print(out);
  }

  static String title(CollectionRegistration where) {
    return Console.plain(where.engine() + " " + where.collection());
  }

  void write(JsonGenerator json) {
    json.writeStringProperty("keyring", keyring.value());
    json.writeArrayPropertyStart("collections");
    counted.forEach(it -> write(json, it));
    json.writeEndArray().writeArrayPropertyStart("not_counted");
    for (UncountedCollection one : missed) {
      place(json, one.where().engine(), one.where().collection());
      json.writeStringProperty("reason", one.reason()).writeEndObject();
    }
    json.writeEndArray().writeArrayPropertyStart("undeclared");
    surveys.undeclared().forEach(it -> write(json, it));
    json.writeEndArray().writeArrayPropertyStart("not_scanned");
    for (EnvelopeScanReport.UnscannedPart one : surveys.notScanned()) {
      json.writeStartObject()
          .writeStringProperty("engine", one.engine())
          .writeStringProperty("what", one.skippedPart().what())
          .writeStringProperty("reason", one.skippedPart().reason())
          .writeStringProperty("cause", EnumText.snake(one.skippedPart().cause()))
          .writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, CountedCollection one) {
    place(json, one.where().engine(), one.where().collection());
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

  private static void write(JsonGenerator json, EnvelopeScanReport.UndeclaredEnvelopes one) {
    place(json, one.engine(), one.finding().collection());
    json.writeStringProperty("field", one.finding().field())
        .writeStringProperty("form", EnumText.snake(one.finding().encoding()))
        .writeArrayPropertyStart("versions");
    one.finding()
        .versions()
        .forEach((version, count) ->
            json.writeStartObject()
                .writeNumberProperty("version", version.number())
                .writeNumberProperty("values", count)
                .writeEndObject());
    json.writeEndArray()
        .writeNumberProperty("unreadable", one.finding().unreadable())
        .writeEndObject();
  }

  private static void place(JsonGenerator json, String engine, String collection) {
    json.writeStartObject()
        .writeStringProperty("engine", engine)
        .writeStringProperty("collection", collection);
  }

  private static SortedSet<KekVersion> versions(Census census) {
    return new TreeSet<>(census.carrying().keySet());
  }
}
