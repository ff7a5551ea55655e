package keyfleet.member.document;

import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.Document;

/// The JSON document of a registered collection.
public final class RegistrationDocument {
  private RegistrationDocument() {}

  public static Document toDocument(CollectionRegistration registration, String nonce) {
    return Document.builder()
        .text("keyring", registration.keyring().value())
        .text("engine", registration.engine())
        .text("collection", registration.collection())
        .text("id_field", registration.idField())
        .texts("fields", registration.sealedFields())
        .text("version_field", registration.versionField().orElse(""))
        .text("nonce", nonce)
        .build();
  }

  /// Throws [keyfleet.store.MalformedValueException] if a field is missing or has another form than
  /// [#toDocument] writes.
  public static CollectionRegistration parse(Document document) {
    return document.as(it ->
        new CollectionRegistration(
            new KeyringName(it.text("keyring")),
            it.text("engine"),
            it.text("collection"),
            it.text("id_field"),
            it.texts("fields"),
            it.text("version_field").isEmpty() ? null : it.text("version_field")));
  }
}
