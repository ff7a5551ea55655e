package keyfleet.mongodb;

import keyfleet.store.KvContract;
import keyfleet.store.KvRaceContract;
import keyfleet.store.KvRig;

final class MongoKvTest implements KvContract, KvRaceContract {
  @Override
  public KvRig rig() {
    return new MongoKvRig();
  }

  /// mongo-java-server scans.
  @Override
  public int crowd() {
    return Servers.real().isPresent() ? KvContract.super.crowd() : 10_000;
  }
}
