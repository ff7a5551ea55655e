package keyfleet.nats;

import static keyfleet.store.StoreFixtures.THINGS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nats.client.api.ClusterInfo;
import io.nats.client.api.StreamInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
import java.util.function.Supplier;
import java.util.stream.IntStream;
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

/// Three servers that store each write on all of them, also while one is killed.
class NatsClusterTest implements KvRaceContract {
  private static final Key COUNTER = new Key("counter");
  private static final int WRITERS = 8;
  private static final int WRITES_PER_STAGE = 60;
  private static final int TRIES = 5;

  private static @Nullable NatsTestCluster cluster;

  private boolean killServers;

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

  /// These tests simulate lost answers, which is the same on any engine, and need an answer to each
  /// first write. A cluster on a busy machine cannot guarantee that.
  @Override
  public void unansweredWriteThatWasApplied_isFoundByItsNonce(KvFixture fixture) {}

  @Override
  public void unansweredWriteThatWasLost_isPendingAndSentAgain(KvFixture fixture) {}

  @Override
  public void unansweredWriteThatArrivesLate_isNotTakenForAnother(KvFixture fixture) {}

  @Override
  public void unansweredWriteThatLost_isSuperseded(KvFixture fixture) {}

  @Override
  public void writeThatIsNeverAnswered_staysPending(KvFixture fixture) {}

  /// One test of the contract also runs while each server in turn is killed and restarted.
  @BeforeEach
  void prepare(TestInfo test) {
    killServers = test.getDisplayName().startsWith("concurrentHistories");
  }

  @Override
  public KvFixture fixture() {
    NatsKvFixture fixture = openFixture();
    Thread kills =
        killServers
            ? Thread.startVirtualThread(NatsClusterTest::killServersInTurn)
            : Thread.ofVirtual().unstarted(() -> {});
    return new ClusterFixture(fixture, kills);
  }

  /// Fewer than on one server, because a cluster takes longer for each write.
  @Override
  public int rounds() {
    return 60;
  }

  @Override
  public int histories() {
    return killServers ? 60 : 15;
  }

  @Test
  void monitorsOfAllServers_showThatWritesAreSynced() {
    StoreUrl url = url("?monitor=" + cluster().monitors());
    try (NatsEngine engine = openOnceThereIsALeader(() -> NatsEngine.open(url))) {
      assertTrue(
          engine.storeChecks().stream().allMatch(it -> it.level() == StoreCheck.Level.OK),
          () -> "" + engine.storeChecks());
    }
  }

  @Test
  void monitorOfOneServer_provesNothingForTheOthers() {
    for (NatsTestServer server : cluster().servers()) {
      StoreUrl url = server.url("/checks?monitor=" + server.monitor());
      StoreRefusedException e =
          assertThrows(StoreRefusedException.class, () -> NatsEngine.open(url).close());
      assertTrue(e.getMessage().contains("1 of 3 servers"), e.getMessage());
    }
  }

  /// Connects to a replica, which answers direct gets itself, while other writers keep it busy.
  @Test
  void acknowledgedWrite_isReadThoughTheReplicaIsBehind() {
    AtomicBoolean done = new AtomicBoolean();
    try (NatsKvFixture fixture = openFixture();
        ExecutorService bulkWriters = Executors.newVirtualThreadPerTaskExecutor()) {
      putUntilWritten(fixture.kv(), COUNTER);
      IntStream.range(0, WRITERS)
          .forEach(it -> bulkWriters.execute(() -> writeBulk(fixture.kv(), it, done)));
      try (NatsEngine engine =
          NatsEngine.open(
              replica(fixture).url("/" + fixture.namespace() + "?sync_interval=always"))) {
        assertReadsWhatItWrites(new RetryingKv(engine.kv()));
      } finally {
        done.set(true);
      }
    }
  }

  private static void writeBulk(Kv kv, int writer, AtomicBoolean done) {
    Value bulk = Value.of("noise".repeat(20_000));
    while (!done.get()) {
      kv.put(THINGS, new Key("noise." + writer), bulk);
    }
  }

  private static void assertReadsWhatItWrites(Kv kv) {
    Key key = new Key("mine.x");
    for (int seen = 0; seen < 80; ) {
      if (kv.put(THINGS, key, Value.of("take " + seen)) instanceof Written(var last)) {
        assertEquals(Optional.of(last), kv.get(THINGS, key).map(Entry::revision));
        List<Entry> listed = kv.list(THINGS, Prefix.under(new Key("mine")));
        assertEquals(List.of(last), listed.stream().map(Entry::revision).toList());
        seen++;
      }
    }
  }

  @Test
  void leaderKilledUnderLoad_losesNothingAcknowledged()
      throws ExecutionException, InterruptedException, TimeoutException {
    try (NatsKvFixture fixture = openFixture();
        ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
      CounterLoad counterLoad = new CounterLoad(fixture.kv());
      List<Future<?>> running =
          IntStream.range(0, WRITERS)
              .<Future<?>>mapToObj(it -> writers.submit(() -> counterLoad.run(it)))
              .toList();
      counterLoad.awaitMore(WRITES_PER_STAGE);
      NatsTestServer leader = leader(fixture);
      leader.kill();
      counterLoad.awaitMore(WRITES_PER_STAGE);
      leader.restart();
      counterLoad.awaitMore(WRITES_PER_STAGE);
      counterLoad.stop();
      for (Future<?> writer : running) {
        writer.get(60, TimeUnit.SECONDS);
      }
      counterLoad.assertNothingLost();
      cluster().servers().forEach(NatsTestServer::kill);
      cluster().servers().parallelStream().forEach(NatsTestServer::restart);
      counterLoad.assertNothingLost();
    }
  }

  @Test
  void serverOfWatchKilled_watchReportsMissedAndContinues() throws InterruptedException {
    NatsTestServer first = cluster().servers().getFirst();
    try (NatsKvFixture fixture =
        new NatsKvFixture(first.address(), "?sync_interval=always", RetryingKv::new)) {
      BlockingQueue<ChangeHint> hints = new LinkedBlockingQueue<>();
      Watch watch = fixture.kv().watch(THINGS, Prefix.ALL, hints::add);
      first.kill();
      awaitHint(hints, new Missed());
      putUntilWritten(fixture.kv(), new Key("after"));
      awaitHint(hints, new Changed(new Key("after")));
      watch.close();
    } finally {
      first.restart();
    }
  }

  private static void killServersInTurn() {
    for (NatsTestServer server : cluster().servers()) {
      server.kill();
      server.restart();
    }
  }

  /// A fixture that closes when the kills are over.
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

  private static void awaitHint(BlockingQueue<ChangeHint> hints, ChangeHint awaited)
      throws InterruptedException {
    ChangeHint hint = hints.poll(30, TimeUnit.SECONDS);
    while (!awaited.equals(hint)) {
      assertTrue(hint != null, () -> "no hint " + awaited);
      hint = hints.poll(30, TimeUnit.SECONDS);
    }
  }

  private static void putUntilWritten(Kv kv, Key key) {
    NatsAwait.until(
        key + " is written", () -> kv.put(THINGS, key, Value.of("0")) instanceof Written);
  }

  private static NatsKvFixture openFixture() {
    return openOnceThereIsALeader(
        () -> new NatsKvFixture(cluster().addresses(), "?sync_interval=always", RetryingKv::new));
  }

  /// An earlier test may have killed a server that has not caught up yet.
  private static <T> T openOnceThereIsALeader(Supplier<T> open) {
    List<T> opened = new ArrayList<>();
    NatsAwait.until(
        "the cluster has a leader",
        () -> {
          try {
            return opened.add(open.get());
          } catch (StoreRefusedException e) {
            throw e;
          } catch (StoreException e) {
            return false;
          }
        });
    return opened.getFirst();
  }

  private static StoreUrl url(String rest) {
    return StoreUrl.parse("nats://" + cluster().addresses() + "/checks" + rest);
  }

  private static NatsTestServer replica(NatsKvFixture fixture) {
    NatsTestServer leader = leader(fixture);
    return cluster().servers().stream().filter(it -> it != leader).findFirst().orElseThrow();
  }

  private static NatsTestServer leader(NatsKvFixture fixture) {
    AtomicReference<@Nullable NatsTestServer> leader = new AtomicReference<>();
    fixture.runAsClient(it -> {
      StreamInfo info =
          it.jetStreamManagement().getStreamInfo("KV_" + fixture.namespace() + "-things");
      ClusterInfo clusterInfo = assertInstanceOf(ClusterInfo.class, info.getClusterInfo());
      leader.set(cluster().serverNamed(String.valueOf(clusterInfo.getLeader())));
    });
    return assertInstanceOf(NatsTestServer.class, leader.get());
  }

  private static NatsTestCluster cluster() {
    return assertInstanceOf(NatsTestCluster.class, cluster);
  }

  /// Writers that increment a counter and count the acknowledged increments.
  private static final class CounterLoad {
    private final Kv kv;
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicInteger unknown = new AtomicInteger();
    private volatile boolean stopped;

    CounterLoad(Kv kv) {
      this.kv = kv;
      putUntilWritten(kv, COUNTER);
    }

    void run(int writer) {
      for (int i = 0; !stopped; i++) {
        Entry last = kv.get(THINGS, COUNTER).orElseThrow();
        Value next = Value.of((number(last) + 1) + " by " + writer + ", try " + i);
        ConditionalWrite write =
            new ConditionalWrite.Update(THINGS, COUNTER, next, last.revision());
        switch (write.send(kv)) {
          case Written _ -> acknowledged.incrementAndGet();
          case Conflict _ -> {}
          case Unknown _ ->
              (write.sendUntilKnown(kv, TRIES) instanceof Applied ? acknowledged : unknown)
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
          "%d acknowledged, %d unknown, counter at %d"
              .formatted(acknowledged.get(), unknown.get(), last);
      assertTrue(last >= acknowledged.get(), figures);
      assertTrue(last <= acknowledged.get() + unknown.get(), figures);
    }

    private static int number(Entry entry) {
      return Integer.parseInt(entry.value().text().split(" ", 2)[0]);
    }
  }
}
