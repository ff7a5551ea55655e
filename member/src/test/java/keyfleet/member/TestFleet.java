package keyfleet.member;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Timings;
import keyfleet.member.document.RosterStore;
import keyfleet.member.heartbeat.HeartbeatLoop;
import keyfleet.member.heartbeat.MemberThreads;
import keyfleet.member.process.ProcessEvent;
import keyfleet.store.FakeStoreClock;
import org.jspecify.annotations.Nullable;

/// A fleet without a server, for the tests of an application. Its store is in memory, and time
/// stands still until the test advances it. Members run their rounds when they are due, on the
/// test's thread.
///
/// ```java
/// TestFleet fleet = TestFleet.ofVersion1();
/// Member member = fleet.member("api-1").collection(TestEngine.NAME, fleet.engine(), shape).join();
/// fleet.keys().give(2);
/// fleet.rotation().announce(2);
/// fleet.rotation().stage(2);
/// fleet.advance(Duration.ofSeconds(30));
/// fleet.rotation().flip();
/// ```
///
/// A test that uses the driver of the module `control` can let it do the rotation: [#every] calls
/// it as time passes. For one thread.
public final class TestFleet {
  /// The name of the provider in heartbeats and keystores.
  public static final String PROVIDER = "test";

  private static final class PeriodicActivity {
    private final long period;
    private final Runnable work;
    private long due;

    PeriodicActivity(long period, Runnable work, long due) {
      this.period = period;
      this.work = work;
      this.due = due;
    }
  }

  /// Runs rounds when the test's clock reaches them.
  private final class TestMemberThreads implements MemberThreads {
    private @Nullable HeartbeatLoop loop;

    @Override
    public Consumer<ProcessEvent> eventSink(Consumer<ProcessEvent> listener) {
      return event -> {
        events.add(event);
        listener.accept(event);
      };
    }

    @Override
    public void start(HeartbeatLoop newLoop) {
      loop = newLoop;
      loops.add(newLoop);
    }

    @Override
    public void stop() {
      HeartbeatLoop started = loop;
      if (started != null && loops.remove(started)) {
        started.leave();
      }
    }
  }

  private final KeyringName keyring;
  private final FakeStoreClock time;
  private final TestEngine engine;
  private final SecureRandom random = new SecureRandom();

  /// A fixed seed, so that a failure can be repeated.
  private final Random jitter = new Random(1);

  private final Map<Integer, SoftwareKek> keks = new HashMap<>();
  private final TestKeyProvider keys;
  private final TestRotation rotation;
  private final List<HeartbeatLoop> loops = new ArrayList<>();
  private final List<PeriodicActivity> periodicActivities = new ArrayList<>();
  private final List<ProcessEvent> events = new ArrayList<>();

  private TestFleet(KeyringName keyring, Timings timings, FakeStoreClock time, TestEngine engine) {
    this.keyring = keyring;
    this.time = time;
    this.engine = engine;
    this.keys = keysOf(1);
    this.rotation = new TestRotation(this, timings, random);
  }

  /// With a keystore whose version 1 is active.
  public static TestFleet ofVersion1() {
    return ofVersion1(KeyringName.MAIN, Timings.DEFAULT);
  }

  public static TestFleet ofVersion1(KeyringName keyring, Timings timings) {
    FakeStoreClock time = new FakeStoreClock();
    TestFleet fleet = new TestFleet(keyring, timings, time, new TestEngine(time));
    fleet.rotation.announce(1);
    return fleet;
  }

  /// A fleet of another keyring with the same store and clock. Its members run their rounds only
  /// when this other fleet is advanced.
  public TestFleet sharingStore(KeyringName other) {
    TestFleet fleet = new TestFleet(other, rotation.timings(), time, engine);
    fleet.rotation.announce(1);
    return fleet;
  }

  /// A fleet without a keystore. Announcing version 1 creates it.
  public static TestFleet withoutKeystore() {
    FakeStoreClock time = new FakeStoreClock();
    return new TestFleet(KeyringName.MAIN, Timings.DEFAULT, time, new TestEngine(time));
  }

  public TestEngine engine() {
    return engine;
  }

  public KeyringName keyring() {
    return keyring;
  }

  /// The keys that members load by default: version 1 and those that the test adds.
  public TestKeyProvider keys() {
    return keys;
  }

  /// Keys with the fleet's bytes, for one member alone.
  public TestKeyProvider keysOf(int... versions) {
    TestKeyProvider some = new TestKeyProvider(keyring, this::kek, this::newKek);
    for (int version : versions) {
      some.give(version);
    }
    return some;
  }

  private SoftwareKek kek(int version) {
    return keks.computeIfAbsent(version, this::newKek);
  }

  private SoftwareKek newKek(int version) {
    SecretBytes bytes = SecretBytes.random(SoftwareKek.BYTES, random);
    return new SoftwareKek(new KekVersion(version), bytes, random);
  }

  public TestRotation rotation() {
    return rotation;
  }

  /// The builder of a member that loads the fleet's keys.
  public MemberBuilder member(String instance) {
    return memberWith(keys, instance);
  }

  public MemberBuilder memberWith(TestKeyProvider own, String instance) {
    Host host = new Host("host-1", 4711, "", Instant.EPOCH);
    return Member.builder(engine.kv(), keyring)
        .provider(own)
        .settings(new ProcessSettings(instance, host, null))
        .clock(this::nanos)
        .jitter(jitter)
        .threads(new TestMemberThreads());
  }

  /// The events of all members.
  public List<ProcessEvent> events() {
    return List.copyOf(events);
  }

  public List<Heartbeat> heartbeats() {
    return new RosterStore(engine.inner(), keyring).read(rotation.timings()).heartbeats();
  }

  /// The time on the clock that members and the store share.
  public long nanos() {
    return Duration.ofMillis(time.now().millis()).toNanos();
  }

  /// Runs `work` each time `period` has passed.
  public void every(Duration period, Runnable work) {
    periodicActivities.add(
        new PeriodicActivity(period.toNanos(), work, nanos() + period.toNanos()));
  }

  /// Advances the clock and runs what is due, each at its time.
  public void advance(Duration duration) {
    long until = nanos() + duration.toNanos();
    while (untilNext() <= until - nanos()) {
      step(Math.max(untilNext(), 0));
      new ArrayList<>(loops)
          .stream()
              .filter(it -> it.schedule().nanosUntilDue() <= 0)
              .forEach(HeartbeatLoop::runRoundOrReport);
      periodicActivities.stream().filter(it -> it.due <= nanos()).toList().forEach(this::run);
    }
    step(until - nanos());
  }

  private void run(PeriodicActivity periodicActivity) {
    periodicActivity.due = nanos() + periodicActivity.period;
    periodicActivity.work.run();
  }

  private long untilNext() {
    return LongStream.concat(
            loops.stream().mapToLong(it -> it.schedule().nanosUntilDue()),
            periodicActivities.stream().mapToLong(it -> it.due - nanos()))
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /// Rounds up to milliseconds, the unit of the store's clock.
  private void step(long nanos) {
    time.advance(Duration.ofMillis((nanos + 999_999) / 1_000_000));
  }
}
