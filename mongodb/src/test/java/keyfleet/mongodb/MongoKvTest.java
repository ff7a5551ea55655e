package keyfleet.mongodb;

import keyfleet.store.KvContract;
import keyfleet.store.KvFixture;
import keyfleet.store.KvRaceContract;

final class MongoKvTest implements KvContract, KvRaceContract {
  @Override
  public KvFixture rig() {
    return new MongoKvRig();
  }

  /// mongo-java-server scans.
  @Override
  public int crowd() {
    return Servers.real().isPresent() ? KvContract.super.crowd() : 10_000;
  }
}
