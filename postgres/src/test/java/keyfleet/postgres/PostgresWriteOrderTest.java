package keyfleet.postgres;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import keyfleet.store.Bucket;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Writes that wait for a lock, and the order of revisions and store times.
class PostgresWriteOrderTest {
  private static final String DATABASE = "write_order";
  private static final Key A = new Key("a");
  private static final Value VALUE = Value.of("value");
  private static final int LIMIT_SECONDS = 30;
  private static final int WRITERS = 4;
  private static final int WRITES = 150;

  private static PostgresTestServer server = PostgresTestServer.shared();
  private static PostgresEngine engine;
  private static Kv kv;

  @BeforeAll
  static void open() {
    server.execute("postgres", "CREATE DATABASE " + DATABASE);
    engine = PostgresEngine.open(StoreUrl.parse(server.url(DATABASE, "")));
    kv = engine.kv();
    kv.get(THINGS, A);
  }

  @AfterAll
  static void close() {
    engine.close();
  }

  /// Another session writes and deletes the key while a writer waits: a revision taken before the
  /// wait would be lower than a revision that was seen.
  @Test
  void waitingWrite_takesItsRevisionAfterTheWait() throws SQLException {
    Key key = new Key("waited");
    try (Connection other = server.connect(DATABASE);
        Statement statement = other.createStatement()) {
      CompletableFuture<WriteResult> waiting =
          startWhileKeyIsLocked(other, statement, key, () -> kv.create(THINGS, key, VALUE));
      statement.execute("SELECT nextval('keyfleet.revisions') FROM generate_series(1, 10)");
      statement.execute(
          "INSERT INTO keyfleet.kv VALUES ('things', 'waited', nextval('keyfleet.revisions'), 0,"
              + " '')");
      long seen =
          Long.parseLong(
              queryText(
                  statement, "DELETE FROM keyfleet.kv WHERE key = 'waited' RETURNING revision"));
      other.commit();
      assertTrue(
          assertWritten(waiting.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join()).number() > seen);
    }
  }

  @Test
  void connectionLostWhileWaiting_isUnknown() throws SQLException {
    Key key = new Key("cut");
    try (Connection other = server.connect(DATABASE);
        Statement statement = other.createStatement()) {
      CompletableFuture<WriteResult> waiting =
          startWhileKeyIsLocked(other, statement, key, () -> kv.put(THINGS, key, VALUE));
      server.execute(
          DATABASE,
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT"
              + " granted");
      assertEquals(new Unknown(), waiting.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join());
      other.rollback();
    }
    assertEquals(Optional.empty(), kv.get(THINGS, key));
    assertWritten(kv.put(THINGS, key, VALUE));
  }

  @Test
  void lockTimeout_writesNothing() throws SQLException {
    Key key = new Key("locked");
    try (Connection other = server.connect(DATABASE);
        Statement statement = other.createStatement()) {
      CompletableFuture<WriteResult> waiting =
          startWhileKeyIsLocked(other, statement, key, () -> kv.put(THINGS, key, VALUE));
      Exception e =
          assertThrows(
              java.util.concurrent.CompletionException.class,
              () -> waiting.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join());
      assertInstanceOf(StoreException.class, e.getCause());
      other.rollback();
    }
    assertEquals(Optional.empty(), kv.get(THINGS, key));
  }

  /// Each reader of a key sees its revisions rise, also across deletions.
  @Test
  void revisionsOfContestedKey_onlyRise() {
    List<CompletableFuture<Integer>> all = new ArrayList<>();
    IntStream.range(0, WRITERS)
        .forEach(i -> all.add(CompletableFuture.supplyAsync(() -> writeContestedKey(i))));
    for (CompletableFuture<Integer> one : all) {
      assertTrue(
          one.orTimeout(2 * LIMIT_SECONDS, TimeUnit.SECONDS).join() > 0, "a writer did nothing");
    }
  }

  private static int writeContestedKey(int writer) {
    Key key = new Key("contested");
    long last = 0;
    int done = 0;
    for (int i = 0; i < WRITES; i++) {
      WriteResult result =
          (i + writer) % 2 == 0 ? kv.put(THINGS, key, VALUE) : kv.create(THINGS, key, VALUE);
      if (result instanceof Written(var revision)) {
        assertTrue(revision.number() > last, revision + " after " + last);
        last = revision.number();
        done++;
      }
      Entry seen = kv.get(THINGS, key).orElse(null);
      if (seen != null) {
        assertTrue(seen.revision().number() >= last, seen.revision() + " seen after " + last);
        last = seen.revision().number();
        done += kv.delete(THINGS, key, seen.revision()) instanceof Deleted ? 1 : 0;
      }
    }
    return done;
  }

  /// An entry from a server whose clock was ahead.
  @Test
  void storeTime_isNotBeforeASeenEntry() {
    Bucket beats = new Bucket.Expiring("beats", Duration.ofMinutes(1));
    kv.get(beats, A);
    long ahead = kv.storeTime().millis() + 30_000;
    server.execute(
        DATABASE, "INSERT INTO keyfleet.kv VALUES ('beats', 'ahead', 1, %d, '')".formatted(ahead));
    StoreUrl url = StoreUrl.parse(server.url(DATABASE, ""));
    try (PostgresEngine another = PostgresEngine.open(url)) {
      assertTrue(another.kv().storeTime().millis() < ahead);
      StoreTime seen = another.kv().get(beats, new Key("ahead")).orElseThrow().writtenAt();
      assertEquals(new StoreTime(ahead), seen);
      assertTrue(another.kv().storeTime().compareTo(seen) >= 0);
      assertWritten(another.kv().put(beats, A, VALUE));
      assertTrue(another.kv().get(beats, A).orElseThrow().writtenAt().compareTo(seen) >= 0);
    }
  }

  @Test
  void expiredEntries_areSweptByTheNextWrite() {
    Bucket brief = new Bucket.Expiring("brief", Duration.ofSeconds(1));
    for (int i = 0; i < 20; i++) {
      assertWritten(kv.put(brief, new Key("k" + i), VALUE));
    }
    server.execute(DATABASE, "SELECT pg_sleep(1.1)");
    assertWritten(kv.put(brief, A, VALUE));
    assertEquals(
        "1", server.execute(DATABASE, "SELECT count(*) FROM keyfleet.kv WHERE bucket = 'brief'"));
  }

  @Test
  void bucketOpenedConcurrently_hasOneLifetime() {
    List<CompletableFuture<Boolean>> all = new ArrayList<>();
    for (int i = 1; i <= WRITERS; i++) {
      Bucket bucket = new Bucket.Expiring("disputed", Duration.ofSeconds(i));
      all.add(CompletableFuture.supplyAsync(() -> canOpen(bucket)));
    }
    assertEquals(1, all.stream().filter(CompletableFuture::join).count());
  }

  private static boolean canOpen(Bucket bucket) {
    try (PostgresEngine own = PostgresEngine.open(StoreUrl.parse(server.url(DATABASE, "pool=1")))) {
      assertWritten(own.kv().put(bucket, new Key("of-" + own.hashCode()), VALUE));
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private interface WriteCall {
    WriteResult run();
  }

  /// Starts a call while `other` holds the key's lock, and returns when the call waits for it.
  private static CompletableFuture<WriteResult> startWhileKeyIsLocked(
      Connection other, Statement statement, Key key, WriteCall call) throws SQLException {
    other.setAutoCommit(false);
    statement.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('keyfleet/things/%s', 0))".formatted(key));
    CompletableFuture<WriteResult> waiting = CompletableFuture.supplyAsync(call::run);
    int tries = 0;
    while (server
        .execute(
            DATABASE,
            "SELECT count(*) FROM pg_locks, pg_sleep(0.02) WHERE locktype = 'advisory' AND NOT"
                + " granted")
        .equals("0")) {
      assertTrue(tries++ < 500, "no session waits for the key's lock");
    }
    return waiting;
  }

  private static String queryText(Statement statement, String sql) throws SQLException {
    try (var found = statement.executeQuery(sql)) {
      found.next();
      return String.valueOf(found.getString(1));
    }
  }
}
