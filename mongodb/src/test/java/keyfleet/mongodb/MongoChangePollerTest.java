package keyfleet.mongodb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import keyfleet.store.Bucket;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;

final class MongoChangePollerTest {
  private static final Bucket THINGS = new Bucket.Lasting("things");
  private static final Key A = new Key("a");
  private static final Key B = new Key("b");

  @Test
  void changeSeenByOnePoll_isNotToldByTheNext() {
    try (MongoKvFixture rig = new MongoKvFixture()) {
      MongoChangePoller changes = begun(rig);
      rig.inner().put(THINGS, A, Value.of("one"));
      assertEquals(List.of(new Changed(A)), changes.poll(now(rig)));
      assertEquals(List.of(), changes.poll(now(rig)));
      rig.inner().put(THINGS, A, Value.of("two"));
      rig.inner().put(THINGS, B, Value.of("one"));
      assertEquals(Set.of(new Changed(A), new Changed(B)), Set.copyOf(changes.poll(now(rig))));
    }
  }

  @Test
  void clockThatWentBack_mayHaveHiddenChanges() {
    try (MongoKvFixture rig = new MongoKvFixture()) {
      MongoChangePoller changes = begun(rig);
      assertTrue(changes.poll(now(rig).plusSeconds(3_600)).contains(new Missed()));
      rig.inner().put(THINGS, A, Value.of("one"));
      assertEquals(List.of(new Missed(), new Changed(A)), changes.poll(now(rig)));
    }
  }

  @Test
  void pollAfterBurialsWereSwept_mayHaveMissedDeletions() {
    try (MongoKvFixture rig = new MongoKvFixture()) {
      MongoChangePoller changes = begun(rig);
      Duration late = MongoBucketRegistry.BURIED.dividedBy(2).plusSeconds(5);
      assertEquals(List.of(new Missed()), changes.poll(now(rig).plus(late)));
    }
  }

  @Test
  void watchThatCannotBegin_throws() {
    try (MongoTestServers.TestDatabase database = MongoTestServers.database();
        CuttableProxy proxy = new CuttableProxy(database.host());
        MongoEngine engine = MongoEngine.open(database.urlBy(proxy.host()))) {
      engine.kv().list(THINGS, Prefix.ALL);
      proxy.cut();
      assertThrows(StoreException.class, () -> engine.kv().watch(THINGS, Prefix.ALL, _ -> {}));
    }
  }

  private static MongoChangePoller begun(MongoKvFixture rig) {
    MongoChangePoller changes =
        new MongoChangePoller(rig.buckets().open(THINGS).collection(), Prefix.ALL);
    changes.begin(now(rig));
    return changes;
  }

  private static Instant now(MongoKvFixture rig) {
    return Instant.ofEpochMilli(rig.storeTime().millis());
  }
}
