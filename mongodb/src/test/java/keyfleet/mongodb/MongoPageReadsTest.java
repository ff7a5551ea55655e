package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import keyfleet.store.Bucket;
import keyfleet.store.Conflict;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Value;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;

/// With `readPreference=secondaryPreferred`, pages and lists may be read from a secondary that
/// lags; decisions never are.
final class MongoPageReadsTest {
  private static final String PREFERRED = "&readPreference=secondaryPreferred";
  private static final Bucket BEATS = new Bucket.Expiring("beats", Duration.ofMinutes(2));
  private static final Key A = new Key("a");
  private static final Key B = new Key("b");

  private static final int MAX_READS = 500;

  private static MongoEngine open(LaggingReplicaSet set, String parameters) {
    return MongoEngine.open(StoreUrl.parse(set.url(parameters)));
  }

  /// The driver reads the primary until it has found the secondary.
  private static void awaitReadsFromSecondary(LaggingReplicaSet set, MongoEngine engine) {
    for (int i = 0; i < MAX_READS && set.answeredBySecondary("find").isEmpty(); i++) {
      engine.kvForPages().list(THINGS, Prefix.ALL);
    }
    assertFalse(set.answeredBySecondary("find").isEmpty(), "no page was read from the secondary");
  }

  /// A store in which the secondary knows only the first write.
  private static Revision writeTwice(LaggingReplicaSet set, Kv kv) {
    assertWritten(kv.put(THINGS, A, Value.of("old")));
    set.replicate();
    assertWritten(kv.put(THINGS, B, Value.of("added")));
    return assertWritten(kv.put(THINGS, A, Value.of("new")));
  }

  @Test
  void laggingSecondary_isReadForPagesOnly() {
    try (LaggingReplicaSet set = new LaggingReplicaSet(Duration.ofSeconds(5));
        MongoEngine engine = open(set, PREFERRED)) {
      Revision latest = writeTwice(set, engine.kv());

      assertEquals(List.of("new", "added"), texts(engine.kv()));
      assertEquals(latest, engine.kv().get(THINGS, A).orElseThrow().revision());
      assertTrue(engine.kv().get(THINGS, B).isPresent());
      assertEquals(List.of(), set.answeredBySecondary("find"), "decisions read the primary");

      awaitReadsFromSecondary(set, engine);
      assertEquals(List.of("old"), texts(engine.kvForPages()));
      assertEquals("old", engine.kvForPages().get(THINGS, A).orElseThrow().value().text());
    }
  }

  /// What a page shows cannot win a compare-and-set.
  @Test
  void revisionOfALaggingPage_conflicts() {
    try (LaggingReplicaSet set = new LaggingReplicaSet(Duration.ofSeconds(5));
        MongoEngine engine = open(set, PREFERRED)) {
      writeTwice(set, engine.kv());
      awaitReadsFromSecondary(set, engine);
      Entry shown = engine.kvForPages().get(THINGS, A).orElseThrow();
      assertInstanceOf(
          Conflict.class, engine.kv().update(THINGS, A, Value.of("x"), shown.revision()));
      assertInstanceOf(
          Conflict.class, engine.kvForPages().update(THINGS, A, Value.of("x"), shown.revision()));
    }
  }

  /// An earlier heartbeat of a process that still sends them: normal lag makes no process stale.
  @Test
  void heartbeatOnALaggingPage_hasTheAgeOfTheEarlierBeat() {
    try (LaggingReplicaSet set = new LaggingReplicaSet(Duration.ofSeconds(5));
        MongoEngine engine = open(set, PREFERRED)) {
      assertWritten(engine.kv().put(BEATS, A, Value.of("first")));
      set.replicate();
      assertWritten(engine.kv().put(BEATS, A, Value.of("second")));
      awaitReadsFromSecondary(set, engine);
      Entry shown = engine.kvForPages().list(BEATS, Prefix.ALL).getFirst();
      Entry latest = engine.kv().list(BEATS, Prefix.ALL).getFirst();
      assertEquals("first", shown.value().text());
      assertEquals("second", latest.value().text());
      assertTrue(shown.writtenAt().compareTo(latest.writtenAt()) <= 0);
      Duration age = engine.kvForPages().storeTime().since(shown.writtenAt());
      assertTrue(age.compareTo(Duration.ofSeconds(60)) < 0, age::toString);
    }
  }

  @Test
  void secondaryThatLagsTooFar_isNotReadEither() {
    try (LaggingReplicaSet set =
            new LaggingReplicaSet(MongoSettings.MAX_PAGE_LAG.plus(Duration.ofMinutes(5)));
        MongoEngine engine = open(set, PREFERRED)) {
      writeTwice(set, engine.kv());
      for (int i = 0; i < MAX_READS; i++) {
        assertEquals(List.of("new", "added"), texts(engine.kvForPages()));
      }
    }
  }

  @Test
  void withoutThePreference_pagesReadThePrimaryToo() {
    try (LaggingReplicaSet set = new LaggingReplicaSet(Duration.ofSeconds(5));
        MongoEngine engine = open(set, "")) {
      writeTwice(set, engine.kv());
      assertEquals(List.of("new", "added"), texts(engine.kvForPages()));
      assertEquals(List.of(), set.answeredBySecondary("find"));
    }
  }

  @Test
  void otherPreference_isRefusedBeforeAnyConnection() {
    StoreRefusedException refused =
        assertThrows(
            StoreRefusedException.class,
            () -> MongoEngine.open(StoreUrl.parse("mongodb://h/x?readPreference=nearest")));
    assertEquals(
        "readPreference must be primary or secondaryPreferred, not nearest: decisions are read from"
            + " the primary",
        refused.getMessage());
  }

  private static List<String> texts(Kv kv) {
    return kv.list(THINGS, Prefix.ALL).stream().map(it -> it.value().text()).toList();
  }
}
