package keyfleet.mongodb;

import keyfleet.store.KvContract;
import keyfleet.store.KvFixture;
import keyfleet.store.KvRaceContract;

final class MongoKvTest implements KvContract, KvRaceContract {
  @Override
  public KvFixture fixture() {
    return new MongoKvFixture();
  }

  /// Fewer on mongo-java-server, which has no index and scans all documents for each page.
  @Override
  public int listSize() {
    return MongoTestServers.realServer().isPresent() ? KvContract.super.listSize() : 10_000;
  }
}
