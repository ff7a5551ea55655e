package keyfleet.member;

import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.Engine;

/// A collection that the application seals into, and the engine that stores it.
///
/// @param engineName the scheme of the engine's URL, by which workers find the engine
record CollectionDeclaration(String engineName, Engine engine, CollectionShape shape) {
  /// Lists the fields in the order of their names, so that the registrations of two processes are
  /// equal.
  CollectionRegistration registration(KeyringName keyring) {
    return new CollectionRegistration(
        keyring,
        engineName,
        shape.name(),
        shape.idField(),
        List.copyOf(shape.sealedFields()),
        shape.versionFieldName());
  }

  CollectionDeclaration withVersionField(String field) {
    return new CollectionDeclaration(engineName, engine, shape.withVersionField(field));
  }
}
