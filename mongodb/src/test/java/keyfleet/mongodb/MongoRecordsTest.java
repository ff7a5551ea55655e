package keyfleet.mongodb;

import keyfleet.store.RecordsContract;
import keyfleet.store.RecordsRig;

final class MongoRecordsTest implements RecordsContract {
  @Override
  public RecordsRig rig() {
    return new MongoRecordsRig(Servers.database());
  }
}
