package keyfleet.sim;

import java.time.Duration;
import java.util.List;
import keyfleet.member.document.KeystoreDocument;
import keyfleet.store.Document;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.Kv;

/// What all fleets of a run share: time, chance, the store, and the diary.
final class World {
  /// One effect in so many takes seconds, until the weather is calm.
  private static final List<Integer> HICCUPS = List.of(0, 0, 100, 25);

  private static final long LONGEST_SUFFIX = 20 * Timeline.SECOND;

  private final Dice dice;
  private final Weather weather;
  private final Diary diary;
  private final int hiccups;
  private final FakeStoreClock fakeStoreClock = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(fakeStoreClock);
  private final Timeline timeline = new Timeline(this::pass);

  World(Dice dice, Weather weather, Diary diary) {
    this.dice = dice;
    this.weather = weather;
    this.diary = diary;
    this.hiccups = dice.named("hiccups").pick(HICCUPS);
  }

  private void pass(long now) {
    fakeStoreClock.advance(Duration.ofMillis(now / Timeline.MILLI - fakeStoreClock.now().millis()));
  }

  Timeline timeline() {
    return timeline;
  }

  Dice dice() {
    return dice;
  }

  /// Whether a kind of fault comes up in this run at all.
  boolean expects(Fault.Kind kind) {
    return weather.faults().stream().anyMatch(fault -> fault.kind() == kind);
  }

  /// For a loop that claims to survive reads of the past. In most runs there are none, and what was
  /// seen need not be remembered.
  HostKv.Reads anyReads() {
    return expects(Fault.Kind.STALE_READ) ? HostKv.Reads.MAY_BE_STALE : HostKv.Reads.FRESH;
  }

  /// Whether nobody is ever held up but by a fault of its own.
  boolean isPrompt() {
    return hiccups == 0;
  }

  FakeKv kv() {
    return kv;
  }

  /// The store, bent by `ports`, with somebody who looks at every keystore that is written.
  Kv watched(Ports ports, KeyTruth truth) {
    return new WatchedKv(
        ports.kv(Part.STORE, engine()),
        (bucket, write) -> {
          if (bucket.name().equals("keystores")) {
            truth.sees(KeystoreDocument.parse(Document.parse(write.value())));
          }
        });
  }

  Kv engine() {
    return expects(Fault.Kind.LATE_TTL) ? new LateKv(kv) : kv;
  }

  /// The store loses what it is told from now until the fault's end, twenty seconds at most.
  void loseSuffix(Fault fault) {
    Runnable back = kv.checkpoint();
    timeline.in(
        Math.min(fault.lasts(), LONGEST_SUFFIX),
        () -> {
          note("store", "loses what it wrote last");
          back.run();
        });
  }

  Host host(String name) {
    return new Host(name, timeline, dice, diary, hiccups);
  }

  void note(String who, String what) {
    diary.note(timeline.now(), who, () -> what);
  }
}
