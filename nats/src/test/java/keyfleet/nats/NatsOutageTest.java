package keyfleet.nats;

import static keyfleet.store.StoreFixtures.THINGS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import keyfleet.store.ChangeHint;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Entry;
import keyfleet.store.FaultProxy;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.WriteOutcome.Applied;
import keyfleet.store.WriteResult.Written;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What callers see when the server or the network fails, and that the engine recovers by itself.
class NatsOutageTest {
  private static final Key A = new Key("a");
  private static final String DURABLE = "?sync_interval=always";

  @TempDir(factory = InMemoryTempDir.class)
  Path folder;

  @Test
  void lostAnswer_isUnknownAndResolvedByItsNonce() {
    try (NatsTestServer server = NatsTestServer.start(folder, NatsTestServer.DURABLE);
        FaultProxy proxy = new FaultProxy("127.0.0.1", server.port());
        NatsKvFixture fixture =
            new NatsKvFixture(proxy.address(), DURABLE, UnaryOperator.identity())) {
      assertEquals(Optional.empty(), fixture.kv().get(THINGS, A));
      proxy.dropReplies();
      ConditionalWrite write = new ConditionalWrite.Create(THINGS, A, Value.of("nonce"));
      assertEquals(new Unknown(), write.send(fixture.kv()));
      proxy.restore();
      assertInstanceOf(Applied.class, write.readOutcome(new RetryingKv(fixture.kv())));
    }
  }

  @Test
  void connectionCut_callsFailAtOnceAndWatchReportsMissed() throws InterruptedException {
    try (NatsTestServer server = NatsTestServer.start(folder, NatsTestServer.DURABLE);
        FaultProxy proxy = new FaultProxy("127.0.0.1", server.port());
        NatsKvFixture fixture =
            new NatsKvFixture(proxy.address(), DURABLE, UnaryOperator.identity())) {
      BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();
      fixture.kv().watch(THINGS, Prefix.ALL, hints::add);
      proxy.cut();
      NatsAwait.until("the cut is noticed", () -> isFailing(fixture.kv()));
      assertThrows(StoreException.class, () -> fixture.kv().create(THINGS, A, Value.of("never")));
      assertThrows(StoreException.class, () -> fixture.kv().list(THINGS, Prefix.ALL));
      assertThrows(StoreException.class, () -> fixture.kv().storeTime());
      proxy.restore();
      assertEquals(new Missed(), hints.poll(30, TimeUnit.SECONDS));
      assertEquals(
          Optional.empty(), fixture.kv().get(THINGS, A), "a write in an outage came later");
    }
  }

  @Test
  void serverKilledAndRestarted_hasAllAcknowledgedWrites() {
    try (NatsTestServer server = NatsTestServer.start(folder, NatsTestServer.DURABLE);
        NatsKvFixture fixture =
            new NatsKvFixture(server.address(), DURABLE, UnaryOperator.identity())) {
      List<Key> acknowledged = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        Key key = new Key("k%03d".formatted(i));
        if (fixture.kv().create(THINGS, key, Value.of("x")) instanceof Written) {
          acknowledged.add(key);
        }
      }
      server.kill();
      assertThrows(
          StoreException.class,
          () -> NatsAwait.until("a read fails", () -> fixture.kv().get(THINGS, A).isPresent()));
      server.restart();
      List<Entry> found = new RetryingKv(fixture.kv()).list(THINGS, Prefix.ALL);
      assertEquals(acknowledged, found.stream().map(Entry::key).toList());
    }
  }

  @Test
  void closedEngine_leavesNoThread() {
    try (NatsTestServer server = NatsTestServer.start(folder, NatsTestServer.DURABLE)) {
      NatsKvFixture fixture =
          new NatsKvFixture(server.address(), DURABLE, UnaryOperator.identity());
      fixture.kv().watch(THINGS, Prefix.ALL, _ -> {});
      fixture.close();
      assertThrows(StoreException.class, () -> fixture.kv().get(THINGS, A));
      NatsAwait.until(
          "its threads have ended",
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(it -> it.getName().startsWith("keyfleet-nats")));
    }
  }

  private static boolean isFailing(Kv kv) {
    try {
      kv.get(THINGS, A);
      return false;
    } catch (StoreException e) {
      return true;
    }
  }
}
