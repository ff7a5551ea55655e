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

/// A keystore as it is stored. The nonce tells one writer's attempt from another's that says the
/// same; the note is what the writer says of the change, for the audit.
public final class KeystoreDocument {
  private static final String NOTE = "audit";
  private static final Document NOTHING = Document.builder().build();

  private KeystoreDocument() {}

  public static Document toDocument(Keystore keystore, String nonce) {
    return documentFields(keystore, nonce).build();
  }

  static Document toDocument(Keystore keystore, String nonce, Document note) {
    return documentFields(keystore, nonce).document(NOTE, note).build();
  }

  /// Empty if there is none.
  static Document auditNote(Document document) {
    return document.has(NOTE) ? document.document(NOTE) : NOTHING;
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
        .document("timings", FieldCodec.timings(keystore.timings()))
        .document("rotation", RotationDocument.toDocument(keystore.rotation()))
        .document("versions", versions(keystore))
        .documents(
            "activations",
            keystore.activations().stream().map(KeystoreDocument::activation).toList())
        .text("nonce", nonce);
  }

  /// Throws [keyfleet.store.MalformedValueException] if anything in it is not as written above: a
  /// keystore is read whole or not at all.
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
        FieldCodec.timings(document.document("timings")),
        RotationDocument.parse(document.document("rotation")),
        versions(document.document("versions")),
        activations(document));
  }

  private static Document versions(Keystore keystore) {
    Document.Builder all = Document.builder();
    keystore
        .versions()
        .forEach((version, known) -> {
          Document one =
              Document.builder()
                  .text("provider", known.provider())
                  .text("sentinel", FieldCodec.sentinel(known.sentinel()))
                  .text("state", FieldCodec.toWord(known.state()))
                  .text("trust", FieldCodec.toWord(known.trust()))
                  .build();
          all.document(Integer.toString(version.number()), one);
        });
    return all.build();
  }

  private static SortedMap<KekVersion, VersionEntry> versions(Document all) {
    SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>();
    for (String digits : all.fieldNames()) {
      KekVersion version = FieldCodec.parseVersion(digits);
      Document one = all.document(digits);
      versions.put(
          version,
          new VersionEntry(
              one.text("provider"),
              FieldCodec.sentinel(version, one.text("sentinel")),
              FieldCodec.parseConstant(VersionState.class, one.text("state")),
              FieldCodec.parseConstant(VersionEntry.Trust.class, one.text("trust"))));
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
        .map(one ->
            new Activation(FieldCodec.parseVersion(one.number("version")), one.number("epoch")))
        .toList();
  }
}
