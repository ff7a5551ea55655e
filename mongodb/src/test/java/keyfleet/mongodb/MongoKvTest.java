package keyfleet.mongodb;

import keyfleet.store.KvContract;
import keyfleet.store.KvFixture;
import keyfleet.store.KvRaceContract;

final class MongoKvTest implements KvContract, KvRaceContract {
  @Override
  public KvFixture fixture() {
    return new MongoKvFixture();
  }

  /// mongo-java-server scans.
  @Override
  public int listSize() {
    return MongoTestServers.realServer().isPresent() ? KvContract.super.listSize() : 10_000;
  }
}
