package keyfleet.member.document;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.keyring.Keystore.Identity;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.store.Document;

/// The JSON document of a keystore. The nonce distinguishes the writes of two writers that have the
/// same content. The note is what the writer records about the change for the audit.
public final class KeystoreDocument {
  private static final String NOTE = "audit";
  private static final String ATTESTED = "attested_clusters";
  private static final Document NO_NOTE = Document.builder().build();

  private KeystoreDocument() {}

  public static Document toDocument(Keystore keystore, String nonce) {
    return documentFields(keystore, nonce).build();
  }

  static Document toDocument(Keystore keystore, String nonce, Document note) {
    return documentFields(keystore, nonce).document(NOTE, note).build();
  }

  /// Returns an empty document if there is no note.
  static Document auditNote(Document document) {
    return document.has(NOTE) ? document.document(NOTE) : NO_NOTE;
  }

  private static Document.Builder documentFields(Keystore keystore, String nonce) {
    Identity identity = keystore.identity();
    return Document.builder()
        .text("id", identity.id())
        .number("incarnation", identity.incarnation())
        .text("use", FieldCodec.toWord(identity.use()))
        .number("epoch", keystore.epoch())
        .number("active", keystore.active().number())
        .numbers("writable", keystore.writable().stream().map(it -> (long) it.number()).toList())
        .document("timings", FieldCodec.encodeTimings(keystore.timings()))
        .document("rotation", RotationDocument.toDocument(keystore.rotation()))
        .document("versions", versions(keystore))
        .documents(
            "activations",
            keystore.activations().stream().map(KeystoreDocument::activation).toList())
        .text("nonce", nonce);
  }

  /// Throws [keyfleet.store.MalformedValueException] if any field is missing or has another form
  /// than [#toDocument] writes: a keystore is read completely or not at all.
  public static Keystore parse(Document document) {
    return document.as(KeystoreDocument::parseFields);
  }

  private static Keystore parseFields(Document document) {
    Identity identity =
        new Identity(
            document.text("id"),
            document.number("incarnation"),
            FieldCodec.parseConstant(Keystore.Use.class, document.text("use")));
    SortedSet<KekVersion> writable = new TreeSet<>();
    document.numbers("writable").forEach(number -> writable.add(FieldCodec.parseVersion(number)));
    return new Keystore(
        identity,
        document.number("epoch"),
        FieldCodec.parseVersion(document.number("active")),
        writable,
        FieldCodec.parseTimings(document.document("timings")),
        RotationDocument.parse(document.document("rotation")),
        versions(document.document("versions")),
        activations(document));
  }

  private static Document versions(Keystore keystore) {
    Document.Builder all = Document.builder();
    keystore
        .versions()
        .forEach((version, entry) -> {
          Document.Builder entryDocument =
              Document.builder()
                  .text("provider", entry.provider())
                  .text("sentinel", FieldCodec.encodeSentinel(entry.sentinel()))
                  .text("state", FieldCodec.toWord(entry.state()))
                  .text("trust", FieldCodec.toWord(entry.trust()));
          if (!entry.attestedClusters().isEmpty()) {
            entryDocument.texts(ATTESTED, List.copyOf(entry.attestedClusters()));
          }
          all.document(Integer.toString(version.number()), entryDocument.build());
        });
    return all.build();
  }

  private static SortedMap<KekVersion, VersionEntry> versions(Document all) {
    SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>();
    for (String digits : all.fieldNames()) {
      KekVersion version = FieldCodec.parseVersion(digits);
      Document entryDocument = all.document(digits);
      versions.put(
          version,
          new VersionEntry(
              entryDocument.text("provider"),
              FieldCodec.parseSentinel(version, entryDocument.text("sentinel")),
              FieldCodec.parseConstant(VersionState.class, entryDocument.text("state")),
              FieldCodec.parseConstant(VersionEntry.Trust.class, entryDocument.text("trust")),
              new TreeSet<>(
                  entryDocument.has(ATTESTED) ? entryDocument.texts(ATTESTED) : List.of())));
    }
    return versions;
  }

  private static Document activation(Activation activation) {
    return Document.builder()
        .number("version", activation.version().number())
        .number("epoch", activation.epoch())
        .build();
  }

  private static List<Activation> activations(Document document) {
    return document.documents("activations").stream()
        .map(activation ->
            new Activation(
                FieldCodec.parseVersion(activation.number("version")), activation.number("epoch")))
        .toList();
  }
}
