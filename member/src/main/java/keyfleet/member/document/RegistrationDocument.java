package keyfleet.member.document;

import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.Document;

/// A registered collection as it is stored.
public final class RegistrationDocument {
  private RegistrationDocument() {}

  public static Document toDocument(CollectionRegistration collectionRegistration, String nonce) {
    return Document.builder()
        .text("keyring", collectionRegistration.keyring().value())
        .text("engine", collectionRegistration.engine())
        .text("collection", collectionRegistration.collection())
        .text("id_field", collectionRegistration.idField())
        .texts("fields", collectionRegistration.sealedFields())
        .text("nonce", nonce)
        .build();
  }

  /// Throws [keyfleet.store.MalformedValueException] if a field is missing or not as written above.
  public static CollectionRegistration parse(Document document) {
    return document.as(it ->
        new CollectionRegistration(
            new KeyringName(it.text("keyring")),
            it.text("engine"),
            it.text("collection"),
            it.text("id_field"),
            it.texts("fields")));
  }
}
