package keyfleet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import keyfleet.store.Bucket;
import keyfleet.store.ChangeHint;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.RacingThreads;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several processes that use one store.
class SqliteProcessTest {
  private static final int CHILDREN = 4;
  private static final int GOAL = 300;
  private static final int MOST_WRITES = 40;
  private static final Duration HINT_LIMIT = Duration.ofSeconds(10);

  @Test
  @Timeout(120)
  void fourDurableWriters_noneStarves() throws InterruptedException {
    try (SqliteTestFolder folder = new SqliteTestFolder()) {
      List<SqliteWriterProcess> children = startAll(folder, CHILDREN, "state");
      AtomicIntegerArray counts = new AtomicIntegerArray(CHILDREN);
      BlockingQueue<Integer> done = new LinkedBlockingQueue<>();
      for (int i = 0; i < CHILDREN; i++) {
        int child = i;
        Thread.ofVirtual().start(() -> count(children.get(child), child, counts, done));
      }
      children.forEach(SqliteWriterProcess::proceed);
      int fastest = done.take();
      List<Integer> writes = new ArrayList<>();
      for (int i = 0; i < CHILDREN; i++) {
        writes.add(counts.get(i));
      }
      children.forEach(SqliteWriterProcess::close);
      assertTrue(
          writes.stream().allMatch(it -> it >= GOAL / 2),
          () -> "while writer " + fastest + " made " + GOAL + " writes: " + writes);
      System.out.println("four durable writers: " + writes);
    }
  }

  /// The kernel takes record locks of several threads of one process for a deadlock, because it
  /// looks at processes only.
  @Test
  @Timeout(60)
  void threadsOfSeveralProcesses_areNeverRefused() throws InterruptedException {
    writeWithThreads(Duration.ofSeconds(8));
  }

  @Test
  @Tag("soak")
  void threadsOfSeveralProcesses_areNeverRefusedInAMinute() throws InterruptedException {
    writeWithThreads(Duration.ofMinutes(1));
  }

  /// The store does not exist yet, and all threads create it.
  @Test
  @Timeout(60)
  void racedOpen_createsOneStore() {
    for (int round = 0; round < 20; round++) {
      try (SqliteTestFolder folder = new SqliteTestFolder();
          RacingThreads threads = new RacingThreads(CHILDREN)) {
        List<WriteResult> results =
            threads.race(racer -> {
              try (SqliteEngine engine = folder.openEngine()) {
                Key key = new Key("by." + racer);
                engine.kv().create(SqliteWriterMain.HEARTBEATS, key, Value.of("here"));
                return engine.kv().create(SqliteWriterMain.STATE, key, Value.of("here"));
              }
            });
        try (SqliteEngine engine = folder.openEngine()) {
          assertEquals(CHILDREN, engine.kv().list(SqliteWriterMain.STATE, Prefix.ALL).size());
          assertEquals(CHILDREN, engine.kv().list(SqliteWriterMain.HEARTBEATS, Prefix.ALL).size());
        }
        assertEquals(CHILDREN, results.stream().distinct().count(), results::toString);
      }
    }
  }

  @Test
  @Timeout(240)
  void twentyKilledWriters_loseNothingAcknowledged() {
    kill(20);
  }

  @Test
  @Tag("soak")
  void thousandKilledWriters_loseNothingAcknowledged() {
    kill(1_000);
  }

  @Test
  @Timeout(60)
  void writeOfAnotherProcess_givesHint() throws InterruptedException {
    try (SqliteTestFolder folder = new SqliteTestFolder();
        SqliteEngine engine = folder.openEngine()) {
      BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();
      BlockingQueue<ChangeHint> heartbeatHints = new LinkedBlockingQueue<>();
      engine.kv().watch(SqliteWriterMain.STATE, Prefix.under(new Key("a")), hints::add);
      engine.kv().watch(SqliteWriterMain.HEARTBEATS, Prefix.ALL, heartbeatHints::add);
      try (SqliteWriterProcess child = SqliteWriterProcess.start(folder.url(), "a", "both")) {
        child.awaitReady();
        child.proceed();
        assertEquals(new Changed(new Key("a.0")), awaitHint(hints));
        assertEquals(new Changed(new Key("a.1")), awaitHint(heartbeatHints));
      }
    }
  }

  private static void writeWithThreads(Duration time) throws InterruptedException {
    try (SqliteTestFolder folder = new SqliteTestFolder()) {
      List<SqliteWriterProcess> children = startAll(folder, 3, "threads");
      List<CompletableFuture<List<String>>> outputs = new ArrayList<>();
      children.forEach(SqliteWriterProcess::proceed);
      children.forEach(it -> outputs.add(CompletableFuture.supplyAsync(it::readRest)));
      assertThrows(
          TimeoutException.class,
          () ->
              CompletableFuture.anyOf(outputs.toArray(CompletableFuture[]::new))
                  .get(time.toMillis(), TimeUnit.MILLISECONDS),
          "a writer ended early");
      children.forEach(SqliteWriterProcess::stop);
      List<String> lines = outputs.stream().flatMap(it -> it.join().stream()).toList();
      children.forEach(SqliteWriterProcess::close);
      List<String> refused =
          lines.stream().filter(it -> it.startsWith(SqliteWriterMain.REFUSED)).toList();
      assertEquals(List.of(), refused, () -> refused.size() + " of " + lines.size() + " writes");
      assertTrue(lines.size() > 100, () -> "too few writes: " + lines.size());
      System.out.println("threads of several processes: " + lines.size() + " writes");
    }
  }

  private static ChangeHint awaitHint(BlockingQueue<ChangeHint> hints) throws InterruptedException {
    return Optional.ofNullable(hints.poll(HINT_LIMIT.toMillis(), TimeUnit.MILLISECONDS))
        .orElseThrow(() -> new AssertionError("no hint in " + HINT_LIMIT));
  }

  private static void count(
      SqliteWriterProcess child,
      int number,
      AtomicIntegerArray counts,
      BlockingQueue<Integer> done) {
    while (!child.readLine().isEmpty()) {
      if (counts.incrementAndGet(number) == GOAL) {
        done.add(number);
      }
    }
  }

  /// The children open the store at the same time; it does not exist at first.
  private static List<SqliteWriterProcess> startAll(
      SqliteTestFolder folder, int count, String mode) {
    List<SqliteWriterProcess> children = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      children.add(SqliteWriterProcess.start(folder.url(), "w" + i, mode));
    }
    children.forEach(SqliteWriterProcess::awaitReady);
    return children;
  }

  private static void kill(int kills) {
    long seed = System.nanoTime();
    System.out.println("seed of the kills: " + seed);
    Random random = new Random(seed);
    int acknowledged = 0;
    for (int done = 0; done < kills; done += CHILDREN) {
      try (SqliteTestFolder folder = new SqliteTestFolder()) {
        List<String> acknowledgedLines = killEach(folder, random);
        assertAllStored(folder, acknowledgedLines);
        assertSound(folder);
        acknowledged += acknowledgedLines.size();
      }
    }
    System.out.println(kills + " kills, " + acknowledged + " writes acknowledged, all stored");
    assertTrue(acknowledged > kills, "too few writes were acknowledged");
  }

  /// Kills each child at a different moment while the others keep writing; returns all acknowledged
  /// writes.
  private static List<String> killEach(SqliteTestFolder folder, Random random) {
    List<SqliteWriterProcess> children = startAll(folder, CHILDREN, "both");
    children.forEach(SqliteWriterProcess::proceed);
    List<String> acknowledgedLines = new ArrayList<>();
    for (SqliteWriterProcess child : children) {
      int writes = 1 + random.nextInt(MOST_WRITES);
      for (int i = 0; i < writes; i++) {
        acknowledgedLines.add(child.readLine());
      }
      child.kill();
      acknowledgedLines.addAll(child.readRest());
      child.close();
    }
    acknowledgedLines.removeIf(it -> !it.endsWith(" " + SqliteWriterMain.DONE));
    return acknowledgedLines;
  }

  private static void assertAllStored(SqliteTestFolder folder, List<String> acknowledgedLines) {
    try (SqliteEngine engine = folder.openEngine()) {
      for (String line : acknowledgedLines) {
        String[] parts = line.split(" ", -1);
        Bucket bucket =
            parts[0].equals(SqliteWriterMain.STATE.name())
                ? SqliteWriterMain.STATE
                : SqliteWriterMain.HEARTBEATS;
        Optional<Entry> entry = engine.kv().get(bucket, new Key(parts[1]));
        assertEquals(
            Optional.of(new Revision(Long.parseLong(parts[2]))),
            entry.map(Entry::revision),
            () -> "lost: " + line);
        assertEquals("value of " + parts[1], entry.orElseThrow().value().text());
      }
    }
  }

  private static void assertSound(SqliteTestFolder folder) {
    for (String file : List.of("keyfleet.db", "keyfleet-beats.db")) {
      try (Connection connection =
          DriverManager.getConnection("jdbc:sqlite:" + folder.path().resolve(file))) {
        assertEquals("ok", SqliteTestFolder.query(connection, "PRAGMA integrity_check"), file);
      } catch (SQLException e) {
        throw new IllegalStateException(file, e);
      }
    }
  }
}
