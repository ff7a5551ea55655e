package keyfleet.sqlite;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static keyfleet.store.StoreFixtures.key;
import static keyfleet.store.StoreFixtures.value;
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
  private final SqliteEngine engine = folder.openEngine();
  private final BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();

  @AfterEach
  void tearDown() {
    engine.close();
    folder.close();
  }

  @Test
  void writeThroughAnotherEngine_givesHint() throws InterruptedException {
    engine.kv().watch(THINGS, Prefix.ALL, hints::add);
    try (SqliteEngine other = folder.openEngine()) {
      assertWritten(other.kv().create(THINGS, A, value("one")));
      assertEquals(new Changed(A), awaitHint());
    }
  }

  /// More changes were written than the log keeps.
  @Test
  void watchThatFellBehind_reportsMissedChanges() throws InterruptedException {
    assertWritten(engine.kv().create(THINGS, A, value("one")));
    synchronized (engine.watchPoller()) {
      engine.kv().watch(THINGS, Prefix.ALL, hints::add);
      folder.sql(
          """
          INSERT INTO keyfleet_changes
          WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
          SELECT i, 'things', 'a' FROM n
          """
              .formatted(SqliteChangeLog.MAX_CHANGES + 10));
      engine
          .stateDatabase()
          .write(session -> {
            SqliteChangeLog.trim(session);
            return true;
          });
    }
    assertEquals(new Missed(), awaitHint());
    assertWritten(engine.kv().create(THINGS, key("b"), value("seen again")));
    assertEquals(new Changed(key("b")), awaitHint());
  }

  @Test
  void changeLog_isTrimmedAndRevisionsContinue() {
    Revision last = assertWritten(engine.kv().put(THINGS, A, value("one")));
    folder.sql(
        """
        INSERT INTO keyfleet_changes
        WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        SELECT i, 'things', 'a' FROM n
        """);
    try (SqliteEngine other = folder.openEngine()) {
      Revision next = assertWritten(other.kv().put(THINGS, A, value("two")));
      assertTrue(next.number() > 10_000 && next.compareTo(last) > 0, next::toString);
    }
    long kept =
        engine.stateDatabase().read(it -> it.number("SELECT count(*) FROM keyfleet_changes"));
    assertEquals(SqliteChangeLog.MAX_CHANGES, kept);
  }

  @Test
  void fileThatWasMissing_reportsMissedChanges() throws IOException, InterruptedException {
    Path aside = folder.path().resolve("aside");
    engine.kv().watch(THINGS, Prefix.ALL, hints::add);
    synchronized (engine.watchPoller()) {
      Files.move(folder.file(), aside);
    }
    // A hint given while the file was missing would come first.
    engine.watchPoller().wake();
    assertNull(hints.poll(2 * SqliteWatchPoller.PERIOD.toMillis(), TimeUnit.MILLISECONDS));
    Files.move(aside, folder.file());
    assertEquals(new Missed(), awaitHint());
  }

  @Test
  void watcherThatAddsAWatch_getsItsHints() throws InterruptedException {
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
    assertWritten(engine.kv().create(THINGS, A, value("one")));
    assertEquals(new Changed(A), awaitHint());
    assertWritten(engine.kv().create(other, A, value("one")));
    assertEquals(new Changed(A), awaitHint());
  }

  @Test
  void pollThread_runsWhileThereAreWatches() throws InterruptedException {
    assertTrue(engine.watchPoller().pollThread().isEmpty());
    Watch watch = engine.kv().watch(THINGS, Prefix.ALL, hints::add);
    Thread pollThread = engine.watchPoller().pollThread().orElseThrow();
    watch.close();
    engine.watchPoller().wake();
    assertTrue(pollThread.join(LIMIT), "the thread did not end");
    assertTrue(engine.watchPoller().pollThread().isEmpty());
    engine.kv().watch(THINGS, Prefix.ALL, hints::add);
    Thread second = engine.watchPoller().pollThread().orElseThrow();
    engine.close();
    assertTrue(second.join(LIMIT), "the thread did not end after the engine was closed");
  }

  private ChangeHint awaitHint() throws InterruptedException {
    return Optional.ofNullable(hints.poll(LIMIT.toMillis(), TimeUnit.MILLISECONDS))
        .orElseThrow(() -> new AssertionError("no hint in " + LIMIT));
  }
}
