package keyfleet.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.store.Bucket;
import keyfleet.store.ChangeHint;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;

/// A server that is killed and comes back, under writers that are never told.
class PostgresOutageTest {
  private static final Bucket THINGS = new Bucket.Lasting("things");
  private static final int KILLS = 3;
  private static final int WRITERS = 4;
  private static final int WRITES_BETWEEN_KILLS = 40;
  private static final int LIMIT_SECONDS = 60;

  /// One writer's account: what it was told is stored, and what surely is not.
  private record WriteHistory(Map<Key, String> stored, Set<Key> refused) {
    WriteHistory() {
      this(new ConcurrentHashMap<>(), ConcurrentHashMap.newKeySet());
    }
  }

  @Test
  void killedServer_hasWhatItAcknowledgedAndIsFoundAgain() throws InterruptedException {
    try (PostgresTestServer server = PostgresTestServer.startNew();
        PostgresEngine engine = PostgresEngine.open(StoreUrl.parse(server.url("postgres", "")))) {
      BlockingQueue<ChangeHint> changeHints = new LinkedBlockingQueue<>();
      engine.kv().watch(THINGS, Prefix.ALL, changeHints::add);
      AtomicBoolean over = new AtomicBoolean();
      Semaphore written = new Semaphore(0);
      List<WriteHistory> writeHistories = new ArrayList<>();
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        WriteHistory writeHistory = new WriteHistory();
        writeHistories.add(writeHistory);
        String prefix = "writer" + i + ".";
        writers.add(
            CompletableFuture.runAsync(
                () -> write(engine.kv(), prefix, writeHistory, written, over)));
      }
      for (int i = 0; i < KILLS; i++) {
        written.drainPermits();
        assertTrue(
            written.tryAcquire(WRITES_BETWEEN_KILLS, LIMIT_SECONDS, TimeUnit.SECONDS),
            "nobody writes");
        server.kill();
        if (i == 0) {
          assertThrows(StoreException.class, () -> engine.kv().get(THINGS, new Key("any")));
        }
        server.start();
        await(changeHints, new Missed());
      }
      written.drainPermits();
      assertTrue(
          written.tryAcquire(WRITES_BETWEEN_KILLS, LIMIT_SECONDS, TimeUnit.SECONDS),
          "nobody writes");
      over.set(true);
      writers.forEach(CompletableFuture::join);
      writeHistories.forEach(it -> check(engine.kv(), it));
      Key last = new Key("last");
      assertInstanceOf(Written.class, engine.kv().put(THINGS, last, Value.of("x")));
      await(changeHints, new Changed(last));
    }
  }

  private static void write(
      Kv kv, String prefix, WriteHistory writeHistory, Semaphore written, AtomicBoolean over) {
    for (int i = 0; !over.get(); i++) {
      Key key = new Key(prefix + i);
      String text = "value " + i;
      try {
        if (kv.put(THINGS, key, Value.of(text)) instanceof Written) {
          writeHistory.stored.put(key, text);
          written.release();
        }
      } catch (StoreException e) {
        writeHistory.refused.add(key);
      }
    }
  }

  private static void check(Kv kv, WriteHistory writeHistory) {
    Map<Key, String> lost = new HashMap<>(writeHistory.stored);
    for (Entry entry : kv.list(THINGS, Prefix.ALL)) {
      lost.remove(entry.key(), entry.value().text());
      assertFalse(
          writeHistory.refused.contains(entry.key()), () -> "refused and stored: " + entry.key());
    }
    assertEquals(Map.of(), lost, "acknowledged and lost");
  }

  private static void await(BlockingQueue<ChangeHint> changeHints, ChangeHint awaited)
      throws InterruptedException {
    ChangeHint changeHint;
    do {
      changeHint = changeHints.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertTrue(changeHint != null, () -> "no hint " + awaited);
    } while (!awaited.equals(changeHint));
  }
}
