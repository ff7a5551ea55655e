package keyfleet.postgres;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

/// A server is killed and started again while writers continue.
class PostgresOutageTest {
  private static final int KILLS = 3;
  private static final int WRITERS = 4;
  private static final int WRITES_BETWEEN_KILLS = 40;
  private static final int LIMIT_SECONDS = 60;

  /// One writer's history: what the server acknowledged, and what it certainly did not store.
  private record WriteHistory(Map<Key, String> stored, Set<Key> refused) {
    WriteHistory() {
      this(new ConcurrentHashMap<>(), ConcurrentHashMap.newKeySet());
    }
  }

  @Test
  void killedServer_hasWhatItAcknowledgedAndIsFoundAgain() throws InterruptedException {
    try (PostgresTestServer server = PostgresTestServer.startNew();
        PostgresEngine engine = PostgresEngine.open(StoreUrl.parse(server.url("postgres", "")))) {
      BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();
      engine.kv().watch(THINGS, Prefix.ALL, hints::add);
      AtomicBoolean over = new AtomicBoolean();
      Semaphore written = new Semaphore(0);
      List<WriteHistory> histories = new ArrayList<>();
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        WriteHistory history = new WriteHistory();
        histories.add(history);
        String prefix = "writer" + i + ".";
        writers.add(
            CompletableFuture.runAsync(() -> write(engine.kv(), prefix, history, written, over)));
      }
      for (int i = 0; i < KILLS; i++) {
        written.drainPermits();
        assertTrue(
            written.tryAcquire(WRITES_BETWEEN_KILLS, LIMIT_SECONDS, TimeUnit.SECONDS),
            "no writer writes");
        server.kill();
        if (i == 0) {
          assertThrows(StoreException.class, () -> engine.kv().get(THINGS, new Key("any")));
        }
        server.start();
        await(hints, new Missed());
      }
      written.drainPermits();
      assertTrue(
          written.tryAcquire(WRITES_BETWEEN_KILLS, LIMIT_SECONDS, TimeUnit.SECONDS),
          "no writer writes");
      over.set(true);
      writers.forEach(CompletableFuture::join);
      histories.forEach(it -> check(engine.kv(), it));
      Key last = new Key("last");
      assertWritten(engine.kv().put(THINGS, last, Value.of("x")));
      await(hints, new Changed(last));
    }
  }

  private static void write(
      Kv kv, String prefix, WriteHistory history, Semaphore written, AtomicBoolean over) {
    for (int i = 0; !over.get(); i++) {
      Key key = new Key(prefix + i);
      String text = "value " + i;
      try {
        if (kv.put(THINGS, key, Value.of(text)) instanceof Written) {
          history.stored.put(key, text);
          written.release();
        }
      } catch (StoreException e) {
        history.refused.add(key);
      }
    }
  }

  private static void check(Kv kv, WriteHistory history) {
    Map<Key, String> lost = new HashMap<>(history.stored);
    for (Entry entry : kv.list(THINGS, Prefix.ALL)) {
      lost.remove(entry.key(), entry.value().text());
      assertFalse(
          history.refused.contains(entry.key()), () -> "refused and stored: " + entry.key());
    }
    assertEquals(Map.of(), lost, "acknowledged and lost");
  }

  private static void await(BlockingQueue<ChangeHint> hints, ChangeHint awaited)
      throws InterruptedException {
    ChangeHint hint;
    do {
      hint = hints.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertTrue(hint != null, () -> "no hint " + awaited);
    } while (!awaited.equals(hint));
  }
}
