package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.THINGS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.FaultProxy;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;

final class MongoChangePollerTest {
  private static final Key A = new Key("a");
  private static final Key B = new Key("b");

  @Test
  void changeReportedOnce_isNotReportedAgain() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      MongoChangePoller poller = startPoller(fixture);
      fixture.inner().put(THINGS, A, Value.of("one"));
      assertEquals(List.of(new Changed(A)), poller.poll(now(fixture)));
      assertEquals(List.of(), poller.poll(now(fixture)));
      fixture.inner().put(THINGS, A, Value.of("two"));
      fixture.inner().put(THINGS, B, Value.of("one"));
      assertEquals(Set.of(new Changed(A), new Changed(B)), Set.copyOf(poller.poll(now(fixture))));
    }
  }

  @Test
  void clockThatWentBack_mayHaveHiddenChanges() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      MongoChangePoller poller = startPoller(fixture);
      assertTrue(poller.poll(now(fixture).plusSeconds(3_600)).contains(new Missed()));
      fixture.inner().put(THINGS, A, Value.of("one"));
      assertEquals(List.of(new Missed(), new Changed(A)), poller.poll(now(fixture)));
    }
  }

  @Test
  void pollAfterTombstonesWereSwept_mayHaveMissedDeletions() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      MongoChangePoller poller = startPoller(fixture);
      Duration late = MongoBucketRegistry.TOMBSTONE_LIFETIME.dividedBy(2).plusSeconds(5);
      assertEquals(List.of(new Missed()), poller.poll(now(fixture).plus(late)));
    }
  }

  @Test
  void watchThatCannotStart_throws() {
    try (MongoTestServers.TestDatabase database = MongoTestServers.database();
        FaultProxy proxy = database.startProxy();
        MongoEngine engine = MongoEngine.open(database.urlThrough(proxy))) {
      engine.kv().list(THINGS, Prefix.ALL);
      proxy.cut();
      assertThrows(StoreException.class, () -> engine.kv().watch(THINGS, Prefix.ALL, _ -> {}));
    }
  }

  private static MongoChangePoller startPoller(MongoKvFixture fixture) {
    MongoChangePoller poller = new MongoChangePoller(fixture.buckets().open(THINGS), Prefix.ALL);
    poller.start(now(fixture));
    return poller;
  }

  private static Instant now(MongoKvFixture fixture) {
    return Instant.ofEpochMilli(fixture.storeTime().millis());
  }
}
