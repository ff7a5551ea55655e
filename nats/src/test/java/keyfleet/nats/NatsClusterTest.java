package keyfleet.nats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nats.client.api.ClusterInfo;
import io.nats.client.api.StreamInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import keyfleet.store.Bucket;
import keyfleet.store.ChangeHint;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Conflict;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.KvFixture;
import keyfleet.store.KvRaceContract;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.Watch;
import keyfleet.store.WriteOutcome.Applied;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/// Three servers, each write on all of them; also while one is killed.
class NatsClusterTest implements KvRaceContract {
  private static final Bucket THINGS = new Bucket.Lasting("things");
  private static final Key COUNTER = new Key("counter");
  private static final int WRITERS = 8;
  private static final int STAGE = 60;
  private static final int TRIES = 5;

  private static @Nullable NatsTestCluster cluster;

  private boolean storm;

  @BeforeAll
  static void start(@TempDir(factory = InMemoryTempDir.class) Path folder) {
    cluster = new NatsTestCluster(folder);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  /// These try a client without answers, which is the same on any engine, and count on an answer to
  /// each first write; that is not sure while a busy machine keeps a cluster from its heartbeats.
  @Override
  public void unansweredWriteThatWasApplied_isFoundByItsNonce() {}

  @Override
  public void unansweredWriteThatWasLost_isPendingAndSentAgain() {}

  @Override
  public void unansweredWriteThatArrivesLate_isNotTakenForAnother() {}

  @Override
  public void unansweredWriteThatLost_isSuperseded() {}

  @Override
  public void writeThatIsNeverAnswered_staysPending() {}

  /// One of the contract's cases also runs while each server in turn is killed and started again.
  @BeforeEach
  void prepare(TestInfo test) {
    storm = test.getDisplayName().startsWith("concurrentHistories");
  }

  @Override
  public KvFixture fixture() {
    NatsKvFixture rig = open();
    Thread kills =
        storm
            ? Thread.startVirtualThread(NatsClusterTest::killInTurn)
            : Thread.ofVirtual().unstarted(() -> {});
    return new ClusterFixture(rig, kills);
  }

  /// The whole contract runs on one server; a cluster takes longer for each write.
  @Override
  public int rounds() {
    return 60;
  }

  @Override
  public int histories() {
    return storm ? 60 : 15;
  }

  @Test
  void monitorsOfAllServers_showThatWritesAreSynced() {
    try (NatsEngine engine = NatsEngine.open(url("?monitor=" + cluster().monitors()))) {
      assertTrue(
          engine.storeChecks().stream().allMatch(it -> it.level() == StoreCheck.Level.OK),
          () -> "" + engine.storeChecks());
    }
  }

  @Test
  void monitorOfOneServer_isNoProofForTheOthers() {
    for (NatsTestServer server : cluster().servers()) {
      StoreUrl url = server.url("/checks?monitor=" + server.monitor());
      StoreRefusedException e =
          assertThrows(StoreRefusedException.class, () -> NatsEngine.open(url).close());
      assertTrue(e.getMessage().contains("1 servers, of 3"), e.getMessage());
    }
  }

  /// We are connected to a replica, which answers direct gets itself, while others keep it busy.
  @Test
  void acknowledgedWrite_isReadThoughTheReplicaIsBehind() {
    AtomicBoolean done = new AtomicBoolean();
    try (NatsKvFixture rig = open();
        ExecutorService noise = Executors.newVirtualThreadPerTaskExecutor()) {
      untilWritten(rig.kv(), COUNTER);
      IntStream.range(0, WRITERS).forEach(it -> noise.execute(() -> makeNoise(rig.kv(), it, done)));
      try (NatsEngine engine =
          NatsEngine.open(replica(rig).url("/" + rig.space() + "?sync_interval=always"))) {
        assertReadsWhatItWrites(new RetryingKv(engine.kv()));
      } finally {
        done.set(true);
      }
    }
  }

  private static void makeNoise(Kv kv, int writer, AtomicBoolean done) {
    Value bulk = Value.of("noise".repeat(20_000));
    while (!done.get()) {
      kv.put(THINGS, new Key("noise." + writer), bulk);
    }
  }

  private static void assertReadsWhatItWrites(Kv kv) {
    Key mine = new Key("mine.x");
    for (int seen = 0; seen < 80; ) {
      if (kv.put(THINGS, mine, Value.of("take " + seen)) instanceof Written(var last)) {
        assertEquals(Optional.of(last), kv.get(THINGS, mine).map(Entry::revision));
        List<Entry> listed = kv.list(THINGS, Prefix.under(new Key("mine")));
        assertEquals(List.of(last), listed.stream().map(Entry::revision).toList());
        seen++;
      }
    }
  }

  @Test
  void leaderKilledUnderLoad_losesNothingAcknowledged()
      throws ExecutionException, InterruptedException, TimeoutException {
    try (NatsKvFixture rig = open();
        ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
      CounterLoad load = new CounterLoad(rig.kv());
      List<Future<?>> running =
          IntStream.range(0, WRITERS)
              .<Future<?>>mapToObj(it -> writers.submit(() -> load.run(it)))
              .toList();
      load.awaitMore(STAGE);
      NatsTestServer leader = leader(rig);
      leader.kill();
      load.awaitMore(STAGE);
      leader.restart();
      load.awaitMore(STAGE);
      load.stop();
      for (Future<?> writer : running) {
        writer.get(60, TimeUnit.SECONDS);
      }
      load.assertNothingLost();
      cluster().servers().forEach(NatsTestServer::kill);
      cluster().servers().parallelStream().forEach(NatsTestServer::restart);
      load.assertNothingLost();
    }
  }

  @Test
  void serverOfWatchKilled_watchSaysMissedAndGoesOn() throws InterruptedException {
    NatsTestServer first = cluster().servers().getFirst();
    try (NatsKvFixture rig =
        new NatsKvFixture(first.address(), "?sync_interval=always", RetryingKv::new)) {
      BlockingQueue<ChangeHint> changeHints = new LinkedBlockingQueue<>();
      Watch watch = rig.kv().watch(THINGS, Prefix.ALL, changeHints::add);
      first.kill();
      awaitHint(changeHints, new Missed());
      untilWritten(rig.kv(), new Key("after"));
      awaitHint(changeHints, new Changed(new Key("after")));
      watch.close();
    } finally {
      first.restart();
    }
  }

  private static void killInTurn() {
    for (NatsTestServer server : cluster().servers()) {
      server.kill();
      server.restart();
    }
  }

  /// A rig that is closed when the kills are over.
  private record ClusterFixture(NatsKvFixture inner, Thread kills) implements KvFixture {
    @Override
    public Kv kv() {
      return inner.kv();
    }

    @Override
    public void advanceTime(Duration duration) {
      inner.advanceTime(duration);
    }

    @Override
    public void runWithWatchesDisconnected(Runnable meanwhile) {
      inner.runWithWatchesDisconnected(meanwhile);
    }

    @Override
    public void close() {
      NatsAwait.until("the kills are over", () -> !kills.isAlive());
      inner.close();
    }
  }

  private static void awaitHint(BlockingQueue<ChangeHint> changeHints, ChangeHint awaited)
      throws InterruptedException {
    ChangeHint changeHint = changeHints.poll(30, TimeUnit.SECONDS);
    while (!awaited.equals(changeHint)) {
      assertTrue(changeHint != null, () -> "no hint " + awaited);
      changeHint = changeHints.poll(30, TimeUnit.SECONDS);
    }
  }

  private static void untilWritten(Kv kv, Key key) {
    NatsAwait.until(
        key + " is written", () -> kv.put(THINGS, key, Value.of("0")) instanceof Written);
  }

  private static NatsKvFixture open() {
    AtomicReference<@Nullable NatsKvFixture> rig = new AtomicReference<>();
    NatsAwait.until(
        "the cluster has a leader",
        () -> {
          try {
            rig.set(
                new NatsKvFixture(cluster().addresses(), "?sync_interval=always", RetryingKv::new));
            return true;
          } catch (StoreRefusedException e) {
            throw e;
          } catch (StoreException e) {
            return false;
          }
        });
    return assertInstanceOf(NatsKvFixture.class, rig.get());
  }

  private static StoreUrl url(String rest) {
    return StoreUrl.parse("nats://" + cluster().addresses() + "/checks" + rest);
  }

  private static NatsTestServer replica(NatsKvFixture rig) {
    NatsTestServer leader = leader(rig);
    return cluster().servers().stream().filter(it -> it != leader).findFirst().orElseThrow();
  }

  private static NatsTestServer leader(NatsKvFixture rig) {
    AtomicReference<@Nullable NatsTestServer> leader = new AtomicReference<>();
    rig.admin(it -> {
      StreamInfo info = it.jetStreamManagement().getStreamInfo("KV_" + rig.space() + "-things");
      ClusterInfo trio = assertInstanceOf(ClusterInfo.class, info.getClusterInfo());
      leader.set(cluster().named(String.valueOf(trio.getLeader())));
    });
    return assertInstanceOf(NatsTestServer.class, leader.get());
  }

  private static NatsTestCluster cluster() {
    return assertInstanceOf(NatsTestCluster.class, cluster);
  }

  /// Writers that each add one to a counter, and know which of their additions were acknowledged.
  private static final class CounterLoad {
    private final Kv kv;
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicInteger unclear = new AtomicInteger();
    private volatile boolean stopped;

    CounterLoad(Kv kv) {
      this.kv = kv;
      untilWritten(kv, COUNTER);
    }

    void run(int writer) {
      for (int i = 0; !stopped; i++) {
        Entry last = kv.get(THINGS, COUNTER).orElseThrow();
        Value next = Value.of((number(last) + 1) + " by " + writer + ", try " + i);
        ConditionalWrite conditionalWrite =
            new ConditionalWrite.Update(THINGS, COUNTER, next, last.revision());
        switch (conditionalWrite.send(kv)) {
          case Written _ -> acknowledged.incrementAndGet();
          case Conflict _ -> {}
          case Unknown _ ->
              (conditionalWrite.sendUntilKnown(kv, TRIES) instanceof Applied
                      ? acknowledged
                      : unclear)
                  .incrementAndGet();
        }
      }
    }

    void awaitMore(int count) {
      int goal = acknowledged.get() + count;
      NatsAwait.until(goal + " are acknowledged", () -> acknowledged.get() >= goal);
    }

    void stop() {
      stopped = true;
    }

    void assertNothingLost() {
      int last = number(kv.get(THINGS, COUNTER).orElseThrow());
      String figures =
          "%d acknowledged, %d unclear, counter at %d"
              .formatted(acknowledged.get(), unclear.get(), last);
      assertTrue(last >= acknowledged.get(), figures);
      assertTrue(last <= acknowledged.get() + unclear.get(), figures);
    }

    private static int number(Entry entry) {
      return Integer.parseInt(entry.value().text().split(" ", 2)[0]);
    }
  }
}
