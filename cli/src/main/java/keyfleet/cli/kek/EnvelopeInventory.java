package keyfleet.cli.kek;

import static keyfleet.cli.kek.EnvelopeInventory.UncountedCollection.Cause.NOT_REACHED;
import static keyfleet.cli.kek.EnvelopeInventory.UncountedCollection.Cause.NOT_REGISTERED;

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
import keyfleet.keyring.Keystore;
import keyfleet.store.Census;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.engine.EnvelopeScan;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/// The envelopes in the stores: those of a keyring in registered collections, and those in fields
/// that no process registered.
record EnvelopeInventory(
    KeyringName keyring,
    List<CountedCollection> countedCollections,
    List<UncountedCollection> notCounted,
    List<UnusableRecords> unusable,
    EnvelopeScanReport scanReport) {
  /// @param isOfOtherKeystore whether its fence is of another keystore than the keyring's. Its
  ///   versions may then have other keys, whatever their numbers
  record CountedCollection(
      CollectionRegistration registration, Census census, boolean isOfOtherKeystore) {
    /// How many of its records were sealed while another keystore had the keyring.
    long ofOtherKeystore() {
      return isOfOtherKeystore
          ? census.belonging().values().stream().mapToLong(Long::longValue).sum()
          : 0;
    }
  }

  /// A collection that could not be counted, and why.
  record UncountedCollection(CollectionRegistration registration, Cause cause, String reason) {
    enum Cause {
      NOT_REGISTERED,
      NOT_REACHED
    }
  }

  static EnvelopeInventory take(
      CommandSession session, List<DeclaredCollection> declared, long rows) {
    List<CountedCollection> countedCollections = new ArrayList<>();
    List<UncountedCollection> notCounted = new ArrayList<>();
    List<CollectionRegistration> all = session.collectionRegistry().allRegistrations();
    countAll(session, all, countedCollections, notCounted);
    notCounted.addAll(findDeclaredOnly(session, declared, all));
    List<UnusableRecords> unusable =
        session
            .findKeystore()
            .map(keystore -> UnusableRecords.find(session, keystore, countedCollections))
            .orElse(List.of());
    return new EnvelopeInventory(
        session.keyring(),
        countedCollections,
        notCounted,
        unusable,
        EnvelopeScanReport.scan(session.storeConnections(), all, rows));
  }

  /// Counts the collections of the keyring that this host can reach.
  static List<CountedCollection> countReachable(CommandSession session) {
    List<CountedCollection> countedCollections = new ArrayList<>();
    countAll(
        session,
        session.collectionRegistry().registrations(session.keyring()),
        countedCollections,
        new ArrayList<>());
    return countedCollections;
  }

  private static void countAll(
      CommandSession session,
      List<CollectionRegistration> registrations,
      List<CountedCollection> countedCollections,
      List<UncountedCollection> notCounted) {
    Keystore keystore = session.findKeystore().orElse(null);
    for (CollectionRegistration collection : registrations) {
      if (collection.keyring().equals(session.keyring())) {
        count(session, keystore, collection, countedCollections, notCounted);
      }
    }
  }

  /// Collections that the configuration assigns to this keyring but that no process has registered.
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
        .map(collection ->
            new UncountedCollection(
                collection, NOT_REGISTERED, "declared, but no process has registered it yet"))
        .toList();
  }

  /// Whether all uncounted collections are declared but not registered yet.
  boolean isMissingOnlyRegistrations() {
    return notCounted.stream().allMatch(it -> it.cause() == NOT_REGISTERED);
  }

  private static void count(
      CommandSession session,
      @Nullable Keystore keystore,
      CollectionRegistration collection,
      List<CountedCollection> countedCollections,
      List<UncountedCollection> notCounted) {
    try {
      Optional<Records> records = session.storeConnections().findRecords(collection);
      if (records.isPresent()) {
        countedCollections.add(
            new CountedCollection(
                collection,
                records.get().census(),
                keystore != null && isOfOtherKeystore(records.get(), keystore)));
      } else {
        notCounted.add(
            new UncountedCollection(
                collection,
                NOT_REACHED,
                collection.isCluster()
                    ? "its objects are in etcd, which Keyfleet cannot count"
                    : "neither --store nor --records names " + collection.engine()));
      }
    } catch (StoreException e) {
      notCounted.add(new UncountedCollection(collection, NOT_REACHED, e.getMessage()));
    }
  }

  private static boolean isOfOtherKeystore(Records records, Keystore keystore) {
    return records
        .fence()
        .filter(it -> it.term().incarnation() != keystore.identity().incarnation())
        .isPresent();
  }

  List<CountedCollection> collectionsOfOtherKeystores() {
    return countedCollections.stream().filter(CountedCollection::isOfOtherKeystore).toList();
  }

  long unreadable() {
    return countedCollections.stream().mapToLong(it -> it.census().unreadable()).sum();
  }

  /// The collections in which some records' version field is not their lowest version.
  List<CountedCollection> findMismatched() {
    return countedCollections.stream().filter(it -> it.census().mismatched() > 0).toList();
  }

  void printTables(PrintStream out) {
    TextTable table = new TextTable("COLLECTION", "VERSION", "BELONGING", "CARRYING");
    for (CountedCollection collection : countedCollections) {
      String title = title(collection.registration());
      SortedSet<KekVersion> versions = versions(collection.census());
      for (KekVersion version : versions) {
        table.addRow(
            title,
            collection.isOfOtherKeystore() ? version + " of another keystore" : version.toString(),
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
    if (!scanReport.undeclared().isEmpty()) {
      out.println();
      printUndeclared(out);
    }
  }

  private void printUndeclared(PrintStream out) {
    TextTable table = new TextTable("UNDECLARED", "FIELD", "FORM", "VERSION", "VALUES");
    for (EnvelopeScanReport.UndeclaredEnvelopes undeclared : scanReport.undeclared()) {
      EnvelopeScan.Finding finding = undeclared.finding();
      String title = Console.sanitize(undeclared.engine() + " " + finding.collection());
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

  static String title(CollectionRegistration registration) {
    return Console.sanitize(registration.engine() + " " + registration.collection());
  }

  void write(JsonGenerator json) {
    json.writeStringProperty("keyring", keyring.value());
    json.writeArrayPropertyStart("collections");
    countedCollections.forEach(it -> write(json, it));
    json.writeEndArray().writeArrayPropertyStart("not_counted");
    for (UncountedCollection collection : notCounted) {
      startCollectionObject(
          json, collection.registration().engine(), collection.registration().collection());
      json.writeStringProperty("reason", collection.reason()).writeEndObject();
    }
    json.writeEndArray().writeArrayPropertyStart("unusable");
    unusable.forEach(it -> it.write(json));
    json.writeEndArray().writeArrayPropertyStart("undeclared");
    scanReport.undeclared().forEach(it -> write(json, it));
    json.writeEndArray().writeArrayPropertyStart("not_scanned");
    for (EnvelopeScanReport.UnscannedPart unscanned : scanReport.unscannedParts()) {
      json.writeStartObject()
          .writeStringProperty("engine", unscanned.engine())
          .writeStringProperty("what", unscanned.part().what())
          .writeStringProperty("reason", unscanned.part().reason())
          .writeStringProperty("cause", EnumText.toSnakeCase(unscanned.part().cause()))
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
        .writeNumberProperty("mismatched", collection.census().mismatched())
        .writeNumberProperty("other_keystore", collection.ofOtherKeystore())
        .writeEndObject();
  }

  private static void write(JsonGenerator json, EnvelopeScanReport.UndeclaredEnvelopes undeclared) {
    startCollectionObject(json, undeclared.engine(), undeclared.finding().collection());
    json.writeStringProperty("field", undeclared.finding().field())
        .writeStringProperty("form", EnumText.toSnakeCase(undeclared.finding().encoding()))
        .writeArrayPropertyStart("versions");
    undeclared
        .finding()
        .versions()
        .forEach((version, count) ->
            json.writeStartObject()
                .writeNumberProperty("version", version.number())
                .writeNumberProperty("values", count)
                .writeEndObject());
    json.writeEndArray()
        .writeNumberProperty("unreadable", undeclared.finding().unreadable())
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
