package keyfleet.mongodb;

import keyfleet.store.RecordsContract;
import keyfleet.store.RecordsFixture;

final class MongoRecordsTest implements RecordsContract {
  @Override
  public RecordsFixture fixture() {
    return new MongoRecordsFixture(MongoTestServers.database());
  }
}
