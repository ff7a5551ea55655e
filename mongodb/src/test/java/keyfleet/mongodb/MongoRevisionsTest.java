package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/// Revisions of a key rise, although the server sweeps its documents in between.
final class MongoRevisionsTest {
  private static final Bucket BEATS = new Bucket.Expiring("beats", Duration.ofSeconds(1));
  private static final Key A = new Key("a");
  private static final int CLIENTS = 6;
  private static final int CALLS = 200;
  private static final int SWEEP_EACH = 4;

  @Test
  void sweptTombstone_doesNotRestartRevisions() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      Kv kv = fixture.inner();
      long last = 0;
      for (int life = 0; life < 10; life++) {
        Revision created = assertWritten(kv.create(THINGS, A, Value.of("life " + life)));
        assertTrue(created.number() > last, created + " after " + last);
        Revision updated = assertWritten(kv.put(THINGS, A, Value.of("again " + life)));
        last = updated.number();
        kv.delete(THINGS, A, updated);
        assertEquals(
            1, fixture.database().collection("things").deleteMany(gone()).getDeletedCount());
      }
    }
  }

  @Test
  void sweptExpiredEntry_doesNotRestartRevisions() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      Kv kv = fixture.inner();
      Revision first = assertWritten(kv.put(BEATS, A, Value.of("one")));
      fixture.database().collection("beats").deleteMany(new Document());
      assertEquals(Optional.empty(), kv.get(BEATS, A));
      Revision next = assertWritten(kv.put(BEATS, A, Value.of("two")));
      assertTrue(next.compareTo(first) > 0, next + " after " + first);
    }
  }

  /// A creator pauses between its claim and its entry; meanwhile the key is created and deleted.
  @Test
  void claimOfAStoppedCreator_isTakenOverAndItsLateFillFails() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      Kv kv = fixture.inner();
      BucketDocuments stopped = fixture.buckets().open(THINGS);
      Document claim = stopped.claimSlot(A);
      long late = stopped.takeNextRevision(claim);
      Revision created = assertWritten(kv.create(THINGS, A, Value.of("quick")));
      assertTrue(created.number() > late, "the life of a claim is counted after the claim");
      kv.delete(THINGS, A, created);
      fixture.database().collection("things").deleteMany(new Document());
      Document second = stopped.claimSlot(A);
      assertEquals(0L, second.getLong("rev"));
      assertEquals(Optional.empty(), stopped.fill(claim, late, Value.of("late")));
      assertEquals(Optional.empty(), kv.get(THINGS, A));
    }
  }

  /// Clients put, create and delete one key while the server sweeps it. No revision has two values,
  /// and of two successive writes the later one has the higher revision.
  @Test
  void racingWritersAndSweeps_neverRepeatARevision(TestInfo info)
      throws InterruptedException, ExecutionException {
    long seed = 20_261_116L;
    System.out.println(info.getDisplayName() + " seed " + seed);
    try (MongoKvFixture fixture = new MongoKvFixture();
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1)) {
      Map<Long, String> seen = new ConcurrentHashMap<>();
      AtomicInteger busy = new AtomicInteger(CLIENTS);
      List<Future<?>> runs = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        int number = client;
        runs.add(
            threads.submit(() -> {
              try {
                runClient(fixture.inner(), new Random(seed + number), "c" + number, seen);
              } finally {
                busy.decrementAndGet();
              }
            }));
      }
      runs.add(
          threads.submit(() -> {
            int next = 0;
            while (busy.get() > 0) {
              if (seen.size() >= next) {
                fixture.database().collection("things").deleteMany(gone());
                next = seen.size() + SWEEP_EACH;
              }
              Thread.onSpinWait();
            }
          }));
      for (Future<?> run : runs) {
        run.get();
      }
      assertTrue(seen.size() > CALLS, "only " + seen.size() + " writes");
    }
  }

  private static void runClient(Kv kv, Random random, String name, Map<Long, String> seen) {
    long last = 0;
    for (int i = 0; i < CALLS; i++) {
      String text = name + " " + i;
      WriteResult result =
          random.nextBoolean()
              ? kv.put(THINGS, A, Value.of(text))
              : kv.create(THINGS, A, Value.of(text));
      if (result instanceof Written(var revision)) {
        assertTrue(revision.number() > last, () -> revision + " is lower than the one before");
        last = revision.number();
        assertEquals(text, seen.merge(last, text, (one, other) -> one + " and " + other));
      }
      Optional<Entry> found = kv.get(THINGS, A);
      if (found.isPresent()) {
        Entry entry = found.get();
        long revision = entry.revision().number();
        assertTrue(revision >= last, () -> "read " + revision + " after own write");
        last = revision;
        String known = seen.get(revision);
        assertTrue(
            known == null || known.equals(entry.value().text()),
            () -> revision + " is " + known + " and " + entry.value().text());
        if (random.nextInt(3) == 0) {
          kv.delete(THINGS, A, entry.revision());
        }
      }
    }
  }

  private static Document gone() {
    return new Document("gone", new Document("$exists", true));
  }
}
