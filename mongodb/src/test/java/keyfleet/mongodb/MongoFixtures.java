package keyfleet.mongodb;

import keyfleet.store.StoreFixtures;
import org.bson.Document;
import org.bson.types.Binary;

/// Values that the tests of this module use.
final class MongoFixtures {
  private MongoFixtures() {}

  /// A field as an application writes it, with that `kv` and an envelope of `version`.
  static Document field(int kv, int version) {
    return new Document("kv", kv).append("ct", new Binary(StoreFixtures.sealed(version).toArray()));
  }
}
