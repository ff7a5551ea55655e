package keyfleet.sqlite;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.key;
import static keyfleet.store.StoreFixtures.value;
import static keyfleet.store.StoreFixtures.written;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import keyfleet.store.Bucket;
import keyfleet.store.ChangeHint;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.Watch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SqliteWatchPollerTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Key A = new Key("a");

  private final SqliteTestFolder folder = new SqliteTestFolder();
  private final SqliteEngine engine = folder.engine();
  private final BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();

  @AfterEach
  void end() {
    engine.close();
    folder.close();
  }

  @Test
  void writeThroughAnotherEngine_isHinted() throws InterruptedException {
    engine.kv().watch(THINGS, Prefix.ALL, hints::add);
    try (SqliteEngine other = folder.engine()) {
      written(other.kv().create(THINGS, A, value("one")));
      assertEquals(new Changed(A), next());
    }
  }

  /// More changes were written than the log keeps.
  @Test
  void watchThatFellBehind_saysSo() throws InterruptedException {
    written(engine.kv().create(THINGS, A, value("one")));
    synchronized (engine.watches()) {
      engine.kv().watch(THINGS, Prefix.ALL, hints::add);
      folder.sql(
          """
          INSERT INTO keyfleet_changes
          WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
          SELECT i, 'things', 'a' FROM n
          """
              .formatted(SqliteChangeLog.KEPT + 10));
      engine
          .state()
          .write(session -> {
            SqliteChangeLog.forget(session);
            return true;
          });
    }
    assertEquals(new Missed(), next());
    written(engine.kv().create(THINGS, key("b"), value("seen again")));
    assertEquals(new Changed(key("b")), next());
  }

  @Test
  void logIsKeptShort_andRevisionsGoOn() {
    Revision last = written(engine.kv().put(THINGS, A, value("one")));
    folder.sql(
        """
        INSERT INTO keyfleet_changes
        WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        SELECT i, 'things', 'a' FROM n
        """);
    try (SqliteEngine other = folder.engine()) {
      Revision next = written(other.kv().put(THINGS, A, value("two")));
      assertTrue(next.number() > 10_000 && next.compareTo(last) > 0, next::toString);
    }
    long kept = engine.state().read(it -> it.number("SELECT count(*) FROM keyfleet_changes"));
    assertEquals(SqliteChangeLog.KEPT, kept);
  }

  @Test
  void fileThatWasAwayForAWhile_isSaid() throws IOException, InterruptedException {
    Path aside = folder.path().resolve("aside");
    engine.kv().watch(THINGS, Prefix.ALL, hints::add);
    synchronized (engine.watches()) {
      Files.move(folder.file(), aside);
    }
    // A hint given while the file was missing would come first.
    engine.watches().wake();
    assertNull(hints.poll(2 * SqliteWatchPoller.PERIOD.toMillis(), TimeUnit.MILLISECONDS));
    Files.move(aside, folder.file());
    assertEquals(new Missed(), next());
  }

  @Test
  void failingWatcher_doesNotKeepOthersFromTheirHints() throws InterruptedException {
    engine
        .kv()
        .watch(
            THINGS,
            Prefix.ALL,
            _ -> {
              throw new IllegalStateException("a bug");
            });
    engine.kv().watch(THINGS, Prefix.ALL, hints::add);
    written(engine.kv().create(THINGS, A, value("one")));
    assertEquals(new Changed(A), next());
  }

  @Test
  void watcherThatWatchesMore_isServed() throws InterruptedException {
    Bucket other = new Bucket.Expiring("other", Duration.ofMinutes(1));
    engine
        .kv()
        .watch(
            THINGS,
            Prefix.ALL,
            hint -> {
              engine.kv().watch(other, Prefix.ALL, hints::add);
              hints.add(hint);
            });
    written(engine.kv().create(THINGS, A, value("one")));
    assertEquals(new Changed(A), next());
    written(engine.kv().create(other, A, value("one")));
    assertEquals(new Changed(A), next());
  }

  @Test
  void readerOfTheLog_livesWhileThereAreWatches() throws InterruptedException {
    assertTrue(engine.watches().reader().isEmpty());
    Watch watch = engine.kv().watch(THINGS, Prefix.ALL, hints::add);
    Thread reader = engine.watches().reader().orElseThrow();
    watch.close();
    engine.watches().wake();
    assertTrue(reader.join(LIMIT), "the thread did not end");
    assertTrue(engine.watches().reader().isEmpty());
    engine.kv().watch(THINGS, Prefix.ALL, hints::add);
    Thread second = engine.watches().reader().orElseThrow();
    engine.close();
    assertTrue(second.join(LIMIT), "the thread did not end after the engine was closed");
  }

  private ChangeHint next() throws InterruptedException {
    return Optional.ofNullable(hints.poll(LIMIT.toMillis(), TimeUnit.MILLISECONDS))
        .orElseThrow(() -> new AssertionError("no hint in " + LIMIT));
  }
}
