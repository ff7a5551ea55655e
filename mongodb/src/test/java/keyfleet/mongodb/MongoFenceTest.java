package keyfleet.mongodb;

import de.bwaldvogel.mongo.MongoServer;
import keyfleet.store.FenceContract;
import keyfleet.store.RecordsFixture;

/// The fence contract where validators are enforced: on a real server, or on an emulator that
/// enforces them as the manual describes.
final class MongoFenceTest implements FenceContract {
  private static final MongoServer ENFORCING = MongoTestServers.start(new ValidatingMongoBackend());

  @Override
  public RecordsFixture fixture() {
    return new MongoRecordsFixture(
        MongoTestServers.realServer().isPresent()
            ? MongoTestServers.database()
            : MongoTestServers.databaseOn(ENFORCING));
  }
}
