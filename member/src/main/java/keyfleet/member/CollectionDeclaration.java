package keyfleet.member;

import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.Engine;

/// A collection that the application says it will seal into, and where it is kept.
///
/// @param engineName how workers find the engine: the scheme of its URL
record CollectionDeclaration(String engineName, Engine engine, CollectionShape shape) {
  /// Fields in the order of their names, so that two processes declare alike.
  CollectionRegistration registration(KeyringName keyring) {
    return new CollectionRegistration(
        keyring, engineName, shape.name(), shape.idField(), List.copyOf(shape.sealedFields()));
  }
}
