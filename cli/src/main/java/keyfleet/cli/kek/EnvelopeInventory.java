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
    List<CountedCollection> countedCollection,
    List<UncountedCollection> notCounted,
    EnvelopeScanReport envelopeScanReport) {
  /// One collection that was counted.
  record CountedCollection(CollectionRegistration registration, Census census) {}

  /// One that was not, and why.
  record UncountedCollection(CollectionRegistration registration, String reason) {}

  private static final String DECLARED = "declared, and no process has registered it yet";

  static EnvelopeInventory take(
      CommandSession session, List<DeclaredCollection> declared, long rows) {
    List<CountedCollection> countedCollection = new ArrayList<>();
    List<UncountedCollection> notCounted = new ArrayList<>();
    List<CollectionRegistration> all = session.collectionRegistry().allRegistrations();
    for (CollectionRegistration collection : all) {
      if (collection.keyring().equals(session.keyring())) {
        count(session, collection, countedCollection, notCounted);
      }
    }
    notCounted.addAll(findDeclaredOnly(session, declared, all));
    return new EnvelopeInventory(
        session.keyring(),
        countedCollection,
        notCounted,
        EnvelopeScanReport.scan(session.storeConnections(), all, rows));
  }

  /// Collections that the configuration hands to this keyring, and no process has taken over.
  private static List<UncountedCollection> findDeclaredOnly(
      CommandSession session,
      List<DeclaredCollection> declared,
      List<CollectionRegistration> registered) {
    String engine = session.storeConnections().recordsEngineName();
    return declared.stream()
        .filter(collection -> collection.keyring().equals(session.keyring()))
        .map(collection -> collection.toRegistration(engine))
        .filter(collection ->
            registered.stream()
                .noneMatch(it ->
                    it.engine().equals(engine) && it.collection().equals(collection.collection())))
        .map(collection -> new UncountedCollection(collection, DECLARED))
        .toList();
  }

  /// Whether all that is missing waits for a process to register it.
  boolean isOnlyDeclared() {
    return notCounted.stream().allMatch(it -> it.reason().equals(DECLARED));
  }

  private static void count(
      CommandSession session,
      CollectionRegistration collection,
      List<CountedCollection> countedCollection,
      List<UncountedCollection> notCounted) {
    try {
      Optional<Records> records = session.storeConnections().findRecords(collection);
      if (records.isPresent()) {
        countedCollection.add(new CountedCollection(collection, records.get().census()));
      } else {
        notCounted.add(
            new UncountedCollection(
                collection, "neither --store nor --records is " + collection.engine()));
      }
    } catch (StoreException e) {
      notCounted.add(new UncountedCollection(collection, e.getMessage()));
    }
  }

  long unreadable() {
    return countedCollection.stream().mapToLong(it -> it.census().unreadable()).sum();
  }

  void printTables(PrintStream out) {
    TextTable table = new TextTable("COLLECTION", "VERSION", "BELONGING", "CARRYING");
    for (CountedCollection collection : countedCollection) {
      String title = title(collection.registration());
      SortedSet<KekVersion> versions = versions(collection.census());
      for (KekVersion version : versions) {
        table.addRow(
            title,
            version.toString(),
            String.valueOf(collection.census().belonging().getOrDefault(version, 0L)),
            String.valueOf(collection.census().carrying().getOrDefault(version, 0L)));
      }
      if (versions.isEmpty()) {
        table.addRow(title, "-", "0", "0");
      }
      if (collection.census().unreadable() > 0) {
        table.addRow(title, "unreadable", String.valueOf(collection.census().unreadable()), "-");
      }
    }
    table.print(out);
    if (!envelopeScanReport.undeclaredEnvelopes().isEmpty()) {
      out.println();
      printUndeclared(out);
    }
  }

  private void printUndeclared(PrintStream out) {
    TextTable table = new TextTable("UNDECLARED", "FIELD", "FORM", "VERSION", "VALUES");
    for (EnvelopeScanReport.UndeclaredEnvelopes collection :
        envelopeScanReport.undeclaredEnvelopes()) {
      EnvelopeScan.Finding finding = collection.finding();
      String title = Console.sanitize(collection.engine() + " " + finding.collection());
      String field = Console.sanitize(finding.field());
      String form = EnumText.toKebabCase(finding.encoding());
      for (Map.Entry<KekVersion, Long> it : finding.versions().entrySet()) {
        table.addRow(title, field, form, it.getKey().toString(), it.getValue().toString());
      }
      if (finding.unreadable() > 0) {
        table.addRow(title, field, form, "unreadable", String.valueOf(finding.unreadable()));
      }
    }
    table.print(out);
  }

  static String title(CollectionRegistration where) {
    return Console.sanitize(where.engine() + " " + where.collection());
  }

  void write(JsonGenerator json) {
    json.writeStringProperty("keyring", keyring.value());
    json.writeArrayPropertyStart("collections");
    countedCollection.forEach(it -> write(json, it));
    json.writeEndArray().writeArrayPropertyStart("not_counted");
    for (UncountedCollection collection : notCounted) {
      startCollectionObject(
          json, collection.registration().engine(), collection.registration().collection());
      json.writeStringProperty("reason", collection.reason()).writeEndObject();
    }
    json.writeEndArray().writeArrayPropertyStart("undeclared");
    envelopeScanReport.undeclaredEnvelopes().forEach(it -> write(json, it));
    json.writeEndArray().writeArrayPropertyStart("not_scanned");
    for (EnvelopeScanReport.UnscannedPart collection : envelopeScanReport.unscannedPart()) {
      json.writeStartObject()
          .writeStringProperty("engine", collection.engine())
          .writeStringProperty("what", collection.skippedPart().what())
          .writeStringProperty("reason", collection.skippedPart().reason())
          .writeStringProperty("cause", EnumText.toSnakeCase(collection.skippedPart().cause()))
          .writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, CountedCollection collection) {
    startCollectionObject(
        json, collection.registration().engine(), collection.registration().collection());
    json.writeArrayPropertyStart("versions");
    for (KekVersion version : versions(collection.census())) {
      json.writeStartObject()
          .writeNumberProperty("version", version.number())
          .writeNumberProperty(
              "belonging", collection.census().belonging().getOrDefault(version, 0L))
          .writeNumberProperty("carrying", collection.census().carrying().getOrDefault(version, 0L))
          .writeEndObject();
    }
    json.writeEndArray()
        .writeNumberProperty("unreadable", collection.census().unreadable())
        .writeEndObject();
  }

  private static void write(JsonGenerator json, EnvelopeScanReport.UndeclaredEnvelopes collection) {
    startCollectionObject(json, collection.engine(), collection.finding().collection());
    json.writeStringProperty("field", collection.finding().field())
        .writeStringProperty("form", EnumText.toSnakeCase(collection.finding().encoding()))
        .writeArrayPropertyStart("versions");
    collection
        .finding()
        .versions()
        .forEach((version, count) ->
            json.writeStartObject()
                .writeNumberProperty("version", version.number())
                .writeNumberProperty("values", count)
                .writeEndObject());
    json.writeEndArray()
        .writeNumberProperty("unreadable", collection.finding().unreadable())
        .writeEndObject();
  }

  private static void startCollectionObject(JsonGenerator json, String engine, String collection) {
    json.writeStartObject()
        .writeStringProperty("engine", engine)
        .writeStringProperty("collection", collection);
  }

  private static SortedSet<KekVersion> versions(Census census) {
    return new TreeSet<>(census.carrying().keySet());
  }
}
