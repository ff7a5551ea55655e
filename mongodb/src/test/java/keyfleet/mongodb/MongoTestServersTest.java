package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Optional;
import keyfleet.store.FaultProxy;
import keyfleet.store.Key;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;

/// The proxy of a replica set carries everything: cut, it separates the engine from every member.
final class MongoTestServersTest {
  private static final Key A = new Key("a");

  @Test
  void proxyOfAReplicaSet_isNotBypassed() {
    try (LaggingReplicaSet set = new LaggingReplicaSet(Duration.ZERO);
        MongoTestServers.TestDatabase database = MongoTestServers.databaseOn(set.url(""));
        FaultProxy proxy = database.startProxy();
        MongoEngine engine = MongoEngine.open(database.urlThrough(proxy))) {
      assertWritten(engine.kv().put(THINGS, A, Value.of("one")));
      proxy.cut();
      assertThrows(StoreException.class, () -> engine.kv().get(THINGS, A));
      proxy.restore();
      assertEquals(Optional.of("one"), engine.kv().get(THINGS, A).map(it -> it.value().text()));
    }
  }

  @Test
  void urlThroughAProxy_keepsTheOtherParameters() {
    try (LaggingReplicaSet set = new LaggingReplicaSet(Duration.ZERO);
        MongoTestServers.TestDatabase database =
            MongoTestServers.databaseOn(set.url("&authSource=x"));
        FaultProxy proxy = database.startProxy()) {
      assertEquals(Optional.of("x"), database.urlThrough(proxy).parameter("authSource"));
      assertEquals(Optional.empty(), database.urlThrough(proxy).parameter("replicaSet"));
    }
  }
}
