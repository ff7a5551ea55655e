package keyfleet.member;

import static keyfleet.member.MemberFixtures.ORDERS;
import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Timings;
import keyfleet.member.MemberException.NotAdmitted;
import keyfleet.member.heartbeat.PlatformMemberThreads;
import keyfleet.member.process.ProcessEvent;
import keyfleet.member.process.ProcessEvent.Severity;
import keyfleet.providers.KekProvider;
import keyfleet.store.Bucket;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A member with its own threads and the machine's clock. The store's time stands still, so no
/// heartbeat becomes stale.
@Timeout(60)
class PlatformMemberThreadsTest {
  private static final Timings FAST =
      new Timings(
          Duration.ofMillis(20),
          Duration.ofMillis(40),
          Duration.ofMinutes(5),
          Duration.ofMinutes(6),
          Duration.ofMillis(40));

  /// The store does not answer while the gate is held.
  private static final class GatedKv implements ForwardingKv {
    private final Kv inner;
    private final Semaphore gate = new Semaphore(1);
    private final Semaphore beats = new Semaphore(0);
    private final Semaphore calls = new Semaphore(0);

    GatedKv(Kv inner) {
      this.inner = inner;
    }

    @Override
    public Kv inner() {
      calls.release();
      gate.acquireUninterruptibly();
      gate.release();
      return inner;
    }

    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      WriteResult result = inner().update(bucket, key, value, expected);
      beats.release();
      return result;
    }

    void awaitBeats(int count) throws InterruptedException {
      beats.drainPermits();
      assertTrue(beats.tryAcquire(count, 30, TimeUnit.SECONDS), "too few heartbeats");
    }

    void block() throws InterruptedException {
      gate.acquire();
      calls.drainPermits();
      assertTrue(calls.tryAcquire(30, TimeUnit.SECONDS), "no round called the store");
    }
  }

  private final TestFleet fleet = TestFleet.ofVersion1(KeyringName.MAIN, FAST);
  private final GatedKv kv = new GatedKv(fleet.engine().kv());
  private final ConcurrentLinkedQueue<ProcessEvent> events = new ConcurrentLinkedQueue<>();
  private final AtomicReference<Member> open = new AtomicReference<>();

  private MemberBuilder newBuilder() {
    return Member.builder(kv, KeyringName.MAIN)
        .instance("api-1")
        .collection(TestEngine.NAME, fleet.engine(), ORDERS)
        .threads(new PlatformMemberThreads("test", Duration.ofMillis(300)));
  }

  private Member join(MemberBuilder builder) {
    Member member = builder.join();
    open.set(member);
    return member;
  }

  @AfterEach
  void leave() {
    Member member = open.get();
    if (member != null) {
      member.close();
    }
  }

  @Test
  void member_writesHeartbeatsUntilItIsClosed() throws InterruptedException {
    Member member = join(newBuilder().provider(fleet.keys()).listener(events::add));
    kv.awaitBeats(5);
    member.close();
    assertEquals(0, fleet.heartbeats().size());
    assertTrue(
        events.stream().anyMatch(it -> it.message().startsWith("left the fleet")),
        events.toString());
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("keyfleet-") && thread.getName().endsWith("-test")) {
        // A thread that has done its work may be about to end.
        assertTrue(thread.join(Duration.ofSeconds(5)), () -> thread.getName() + " is left");
      }
    }
  }

  @Test
  void twoThreadsThatSealDuringAFlip_neverFailAndUseTheNewVersion() throws InterruptedException {
    fleet.keys().give(2);
    fleet.rotation().announce(2);
    Member member = join(newBuilder().provider(fleet.keys()));
    AtomicBoolean over = new AtomicBoolean();
    Set<KekVersion> seen = new ConcurrentSkipListSet<>();
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    Runnable sealing =
        () -> {
          RecordCipher orders = member.records("orders").cipher();
          try {
            while (!over.get()) {
              var record =
                  orders.seal("o-1", PlainFields.ofTexts(Map.of("card", "1", "name", "2")));
              assertEquals(1, record.fields().versions().size());
              seen.addAll(record.fields().versions());
              assertEquals("2", orders.open(record).text("name"));
            }
          } catch (RuntimeException | AssertionError e) {
            failures.add(e);
          }
        };
    Thread one = Thread.ofPlatform().start(sealing);
    Thread two = Thread.ofPlatform().start(sealing);
    kv.awaitBeats(3);
    fleet.rotation().stage(2);
    kv.awaitBeats(3);
    fleet.rotation().flip();
    kv.awaitBeats(3);
    while (!seen.contains(v(2)) && failures.isEmpty()) {
      kv.awaitBeats(1);
    }
    over.set(true);
    one.join();
    two.join();
    assertEquals(List.of(), List.copyOf(failures));
    assertEquals(Set.of(v(1), v(2)), seen);
  }

  @Test
  void storeCallThatHangs_blocksNeitherOpeningNorSealingNorClosing() throws InterruptedException {
    Member member = join(newBuilder().provider(fleet.keys()));
    FieldCipher card = member.cipher("orders", "card");
    kv.block();
    SealedValue sealed = card.seal("o-1", "4111");
    assertEquals("4111", card.open("o-1", sealed).text());
    member.close();
    assertThrows(NotAdmitted.class, () -> card.seal("o-1", "4111"));
    assertEquals(1, fleet.heartbeats().size());
    kv.gate.release();
  }

  private static KekProvider provider(Supplier<KekSet> load) {
    return new KekProvider() {
      @Override
      public String name() {
        return TestFleet.PROVIDER;
      }

      @Override
      public KekSet load() {
        return load.get();
      }

      @Override
      public void close() {}
    };
  }

  @Test
  void providerThatHangs_blocksNeitherOpeningNorSealing() throws InterruptedException {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicBoolean slow = new AtomicBoolean();
    KekProvider sleepy =
        provider(() -> {
          if (slow.get()) {
            hanging.countDown();
            try {
              release.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
          return fleet.keys().load();
        });
    Member member = join(newBuilder().provider(sleepy));
    FieldCipher card = member.cipher("orders", "card");
    slow.set(true);
    hanging.await();
    assertEquals("4111", card.open("o-1", card.seal("o-1", "4111")).text());
    slow.set(false);
    release.countDown();
    kv.awaitBeats(1);
  }

  @Test
  void listenerThatHangs_doesNotStopHeartbeats() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    Consumer<ProcessEvent> stuck =
        _ -> {
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    join(newBuilder().provider(fleet.keys()).listener(stuck));
    kv.awaitBeats(5);
    release.countDown();
  }

  /// A provider must not throw this exception. If one does, the member survives it.
  @Test
  void unexpectedExceptionInARound_isReportedAndTheNextRoundRuns() throws InterruptedException {
    AtomicBoolean broken = new AtomicBoolean();
    KekProvider defect =
        provider(() -> {
          if (broken.get()) {
            throw new IllegalStateException("a secret");
          }
          return fleet.keys().load();
        });
    LinkedBlockingQueue<ProcessEvent> errors = new LinkedBlockingQueue<>();
    join(
        newBuilder()
            .provider(defect)
            .listener(event -> {
              if (event.severity() == Severity.ERROR) {
                errors.add(event);
              }
            }));
    broken.set(true);
    ProcessEvent reported = errors.poll(30, TimeUnit.SECONDS);
    assertNotNull(reported, "the event was not reported");
    String start =
        "a heartbeat round failed unexpectedly, which is a bug: IllegalStateException at ";
    assertTrue(reported.message().startsWith(start), reported::message);
    assertFalse(reported.message().contains("a secret"), reported::message);
    broken.set(false);
    kv.awaitBeats(2);
  }
}
