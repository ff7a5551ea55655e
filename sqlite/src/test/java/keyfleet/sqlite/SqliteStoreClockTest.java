package keyfleet.sqlite;

import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import keyfleet.store.host.BootClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Store time over reboots and suspension, on machines whose clock the test sets.
class SqliteStoreClockTest {
  private static final Bucket HEARTBEATS = new Bucket.Expiring("beats", Duration.ofMinutes(10));
  private static final Key A = new Key("a");

  private final SqliteTestFolder folder = new SqliteTestFolder();
  private final AtomicLong clock = new AtomicLong(Duration.ofDays(1).toNanos());

  @AfterEach
  void tearDown() {
    folder.close();
  }

  @Test
  void reboot_continuesAfterTheLastReading() {
    StoreTime last;
    try (SqliteEngine engine = boot("one")) {
      advance(Duration.ofHours(1));
      last = engine.kv().storeTime();
      advance(Duration.ofSeconds(50));
      last = engine.kv().storeTime();
    }
    clock.set(0);
    try (SqliteEngine engine = boot("two")) {
      Duration leap = engine.kv().storeTime().since(last);
      assertTrue(!leap.isNegative() && leap.compareTo(SqliteStoreClock.AHEAD) <= 0, leap::toString);
    }
  }

  /// The limit is on disk before a time is reported: the power may fail at any moment.
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 999, 30_000, 59_999, 60_000, 60_001, 3_600_000})
  void rebootAtAnyMoment_neverGoesBack(long millis) {
    try (SqliteEngine engine = boot("one")) {
      engine.kv().storeTime();
      advance(Duration.ofMillis(millis));
      StoreTime last = engine.kv().storeTime();
      clock.set(7);
      try (SqliteEngine next = boot("two")) {
        assertTrue(next.kv().storeTime().compareTo(last) >= 0);
      }
    }
  }

  /// The clock may pass the limit between two readings.
  @Test
  void clockThatTicksAtEveryReading_isNotTakenForSuspension() {
    BootClock ticking = BootClock.of(() -> clock.addAndGet(1_000_000), "one");
    try (SqliteEngine engine = SqliteEngine.open(folder.url(), ticking)) {
      StoreTime last = engine.kv().storeTime();
      for (long i = 0; i < 10 * SqliteStoreClock.AHEAD.toMillis(); i++) {
        StoreTime next = engine.kv().storeTime();
        assertTrue(next.compareTo(last) > 0);
        last = next;
      }
    }
  }

  @Test
  void processesOfOneBoot_shareOneTime() {
    try (SqliteEngine one = boot("one")) {
      advance(Duration.ofMinutes(5));
      StoreTime last = one.kv().storeTime();
      try (SqliteEngine other = boot("one")) {
        assertEquals(last, other.kv().storeTime());
        advance(Duration.ofMinutes(5));
        assertEquals(other.kv().storeTime(), one.kv().storeTime());
        assertEquals(Duration.ofMinutes(5), one.kv().storeTime().since(last));
      }
    }
  }

  /// Like a machine that was restored from an old snapshot.
  @Test
  void clockThatWentBackInOneBoot_doesNotMoveStoreTimeBack() {
    StoreTime last;
    try (SqliteEngine engine = boot("one")) {
      advance(Duration.ofHours(2));
      last = engine.kv().storeTime();
    }
    clock.addAndGet(-Duration.ofHours(1).toNanos());
    try (SqliteEngine engine = boot("one")) {
      assertTrue(engine.kv().storeTime().compareTo(last) >= 0);
    }
  }

  @Test
  void suspendedTime_countsForExpiry() {
    try (SqliteEngine engine = boot("one")) {
      assertWritten(engine.kv().put(HEARTBEATS, A, Value.of("beat")));
      advance(Duration.ofMinutes(9));
      assertTrue(engine.kv().get(HEARTBEATS, A).isPresent());
      advance(Duration.ofMinutes(1));
      assertEquals(Optional.empty(), engine.kv().get(HEARTBEATS, A));
    }
  }

  @Test
  void suspensionInsideATransaction_writesNothing() {
    try (SqliteDatabase file = openStateDatabase(folder)) {
      SqliteStoreClock storeClock = SqliteStoreClock.of(file, clock("one"));
      storeClock.ensureSlack();
      assertThrows(
          StoreException.class,
          () ->
              file.write(session -> {
                session.update("UPDATE keyfleet_store SET id = 'lost'");
                advance(SqliteStoreClock.AHEAD.multipliedBy(2));
                return storeClock.nowInTransaction();
              }));
      long lost =
          file.read(it -> it.number("SELECT count(*) FROM keyfleet_store WHERE id = 'lost'"));
      assertEquals(0, lost);
    }
  }

  /// Like a power failure that loses acknowledged heartbeats.
  @Test
  void heartbeatRevisions_riseThoughTheirFileIsLost() throws IOException {
    Revision last;
    try (SqliteEngine engine = boot("one")) {
      assertWritten(engine.kv().put(HEARTBEATS, A, Value.of("one")));
      last = assertWritten(engine.kv().put(HEARTBEATS, A, Value.of("two")));
    }
    Files.delete(folder.path().resolve("keyfleet-beats.db"));
    clock.set(0);
    try (SqliteEngine engine = boot("two")) {
      Revision next = assertWritten(engine.kv().create(HEARTBEATS, A, Value.of("three")));
      assertTrue(next.compareTo(last) > 0, next + " after " + last);
    }
  }

  @Test
  void heartbeatsOfAnotherStore_areDeleted() throws IOException {
    try (SqliteEngine engine = boot("one")) {
      assertWritten(engine.kv().put(HEARTBEATS, A, Value.of("one")));
    }
    Files.delete(folder.file());
    try (SqliteEngine engine = boot("one")) {
      assertEquals(Optional.empty(), engine.kv().get(HEARTBEATS, A));
      assertWritten(engine.kv().put(HEARTBEATS, new Key("b"), Value.of("two")));
      assertEquals(1, engine.kv().list(HEARTBEATS, Prefix.ALL).size());
    }
  }

  @Test
  void expiredEntries_areSweptByWrites() {
    try (SqliteEngine engine = boot("one")) {
      for (int i = 0; i < 100; i++) {
        assertWritten(engine.kv().put(HEARTBEATS, new Key("old." + i), Value.of("beat")));
      }
      advance(Duration.ofMinutes(11));
      for (int i = 0; i < 2 + 100 / SqliteExpirySweep.KEYS_PER_STEP; i++) {
        assertWritten(engine.kv().put(HEARTBEATS, A, Value.of("beat " + i)));
      }
    }
    assertEquals(List.of("1"), entriesIn(folder, "keyfleet-beats.db"));
  }

  private static List<String> entriesIn(SqliteTestFolder folder, String file) {
    String url = "jdbc:sqlite:" + folder.path().resolve(file);
    try (var connection = DriverManager.getConnection(url)) {
      return List.of(SqliteTestFolder.query(connection, "SELECT count(*) FROM keyfleet_entries"));
    } catch (SQLException e) {
      throw new IllegalStateException(file, e);
    }
  }

  private static SqliteDatabase openStateDatabase(SqliteTestFolder folder) {
    SqlitePaths.createFile(folder.file());
    SqliteWriterQueue queue =
        SqliteLockFile.open(new SqlitePaths(folder.file()).lock()).stateQueue();
    SqliteDatabase file = new SqliteDatabase(folder.file(), queue, SqliteSession.Durability.FULL);
    SqliteSchema.KEY_STATE.prepare(file);
    return file;
  }

  private SqliteEngine boot(String id) {
    return SqliteEngine.open(folder.url(), clock(id));
  }

  private BootClock clock(String boot) {
    return BootClock.of(clock::get, boot);
  }

  private void advance(Duration duration) {
    clock.addAndGet(duration.toNanos());
  }
}
