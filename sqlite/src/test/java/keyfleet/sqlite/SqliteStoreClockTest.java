package keyfleet.sqlite;

import static keyfleet.store.StoreFixtures.written;
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
  private static final Bucket BEATS = new Bucket.Expiring("beats", Duration.ofMinutes(10));
  private static final Key A = new Key("a");

  private final SqliteTestFolder folder = new SqliteTestFolder();
  private final AtomicLong clock = new AtomicLong(Duration.ofDays(1).toNanos());

  @AfterEach
  void end() {
    folder.close();
  }

  @Test
  void reboot_continuesAfterWhatWasTold() {
    StoreTime told;
    try (SqliteEngine engine = boot("one")) {
      pass(Duration.ofHours(1));
      told = engine.kv().storeTime();
      pass(Duration.ofSeconds(50));
      told = engine.kv().storeTime();
    }
    clock.set(0);
    try (SqliteEngine engine = boot("two")) {
      Duration leap = engine.kv().storeTime().since(told);
      assertTrue(!leap.isNegative() && leap.compareTo(SqliteStoreClock.AHEAD) <= 0, leap::toString);
    }
  }

  /// The limit is on disk before a time is reported: the power may fail at any moment.
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 999, 30_000, 59_999, 60_000, 60_001, 3_600_000})
  void rebootAtAnyMoment_neverGoesBack(long millis) {
    try (SqliteEngine engine = boot("one")) {
      engine.kv().storeTime();
      pass(Duration.ofMillis(millis));
      StoreTime told = engine.kv().storeTime();
      clock.set(7);
      try (SqliteEngine next = boot("two")) {
        assertTrue(next.kv().storeTime().compareTo(told) >= 0);
      }
    }
  }

  /// The clock may pass the limit between two readings.
  @Test
  void clockThatGoesOnAtEveryReading_isNoSleep() {
    BootClock ticking = BootClock.of(() -> clock.addAndGet(1_000_000), "one");
    try (SqliteEngine engine = SqliteEngine.open(folder.url(), ticking)) {
      StoreTime told = engine.kv().storeTime();
      for (long i = 0; i < 10 * SqliteStoreClock.AHEAD.toMillis(); i++) {
        StoreTime next = engine.kv().storeTime();
        assertTrue(next.compareTo(told) > 0);
        told = next;
      }
    }
  }

  @Test
  void processesOfOneBoot_tellOneTime() {
    try (SqliteEngine one = boot("one")) {
      pass(Duration.ofMinutes(5));
      StoreTime told = one.kv().storeTime();
      try (SqliteEngine other = boot("one")) {
        assertEquals(told, other.kv().storeTime());
        pass(Duration.ofMinutes(5));
        assertEquals(other.kv().storeTime(), one.kv().storeTime());
        assertEquals(Duration.ofMinutes(5), one.kv().storeTime().since(told));
      }
    }
  }

  /// Like a machine that was restored from an old snapshot.
  @Test
  void clockThatWentBackInOneBoot_doesNotTakeTimeAlong() {
    StoreTime told;
    try (SqliteEngine engine = boot("one")) {
      pass(Duration.ofHours(2));
      told = engine.kv().storeTime();
    }
    clock.addAndGet(-Duration.ofHours(1).toNanos());
    try (SqliteEngine engine = boot("one")) {
      assertTrue(engine.kv().storeTime().compareTo(told) >= 0);
    }
  }

  @Test
  void sleepCounts_forWhatExpires() {
    try (SqliteEngine engine = boot("one")) {
      written(engine.kv().put(BEATS, A, Value.of("beat")));
      pass(Duration.ofMinutes(9));
      assertTrue(engine.kv().get(BEATS, A).isPresent());
      pass(Duration.ofMinutes(1));
      assertEquals(Optional.empty(), engine.kv().get(BEATS, A));
    }
  }

  @Test
  void machineThatSleepsInsideATransaction_writesNothing() {
    try (SqliteDatabase file = stateOf(folder)) {
      SqliteStoreClock time = SqliteStoreClock.of(file, clock("one"));
      time.reserve();
      assertThrows(
          StoreException.class,
          () ->
              file.write(session -> {
                session.change("UPDATE keyfleet_store SET id = 'lost'");
                pass(SqliteStoreClock.AHEAD.multipliedBy(2));
                return time.inside();
              }));
      long lost =
          file.read(it -> it.number("SELECT count(*) FROM keyfleet_store WHERE id = 'lost'"));
      assertEquals(0, lost);
    }
  }

  /// Like a power failure that loses acknowledged heartbeats.
  @Test
  void revisionsOfBeats_riseThoughTheirFileIsLost() throws IOException {
    Revision last;
    try (SqliteEngine engine = boot("one")) {
      written(engine.kv().put(BEATS, A, Value.of("one")));
      last = written(engine.kv().put(BEATS, A, Value.of("two")));
    }
    Files.delete(folder.path().resolve("keyfleet-beats.db"));
    clock.set(0);
    try (SqliteEngine engine = boot("two")) {
      Revision next = written(engine.kv().create(BEATS, A, Value.of("three")));
      assertTrue(next.compareTo(last) > 0, next + " after " + last);
    }
  }

  @Test
  void beatsOfAnotherStore_areNobodys() throws IOException {
    try (SqliteEngine engine = boot("one")) {
      written(engine.kv().put(BEATS, A, Value.of("one")));
    }
    Files.delete(folder.file());
    try (SqliteEngine engine = boot("one")) {
      assertEquals(Optional.empty(), engine.kv().get(BEATS, A));
      written(engine.kv().put(BEATS, new Key("b"), Value.of("two")));
      assertEquals(1, engine.kv().list(BEATS, Prefix.ALL).size());
    }
  }

  @Test
  void expiredEntries_areSweptByWhoWrites() {
    try (SqliteEngine engine = boot("one")) {
      for (int i = 0; i < 100; i++) {
        written(engine.kv().put(BEATS, new Key("old." + i), Value.of("beat")));
      }
      pass(Duration.ofMinutes(11));
      for (int i = 0; i < 2 + 100 / SqliteExpirySweep.KEYS; i++) {
        written(engine.kv().put(BEATS, A, Value.of("beat " + i)));
      }
    }
    assertEquals(List.of("1"), entriesIn(folder, "keyfleet-beats.db"));
  }

  private static List<String> entriesIn(SqliteTestFolder folder, String file) {
    String url = "jdbc:sqlite:" + folder.path().resolve(file);
    try (var connection = DriverManager.getConnection(url)) {
      return List.of(SqliteTestFolder.ask(connection, "SELECT count(*) FROM keyfleet_entries"));
    } catch (SQLException e) {
      throw new IllegalStateException(file, e);
    }
  }

  private static SqliteDatabase stateOf(SqliteTestFolder folder) {
    SqlitePaths.create(folder.file());
    SqliteWriterQueue queue = SqliteLockFile.open(new SqlitePaths(folder.file()).lock()).state();
    SqliteDatabase file = new SqliteDatabase(folder.file(), queue, SqliteSession.Durability.FULL);
    SqliteSchema.STATE.settle(file);
    return file;
  }

  private SqliteEngine boot(String id) {
    return SqliteEngine.open(folder.url(), clock(id));
  }

  private BootClock clock(String boot) {
    return BootClock.of(clock::get, boot);
  }

  private void pass(Duration duration) {
    clock.addAndGet(duration.toNanos());
  }
}
