package keyfleet.server;

import java.time.Duration;
import java.util.Optional;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.control.rotation.RotationLoop.NextTick;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;

/// Drives the rotations of one keyring, turn by turn, and says what is new.
final class RotationWorker {
  /// A worker without a hint sees an order after this part of a heartbeat.
  private static final int TURNS_PER_BEAT = 6;

  private static final Duration SHORTEST = Duration.ofMillis(50);

  private final RotationLoop loop;
  private final RateLimit throttle;
  private final RotationChangeDetector diary = new RotationChangeDetector();
  private final EventLog log;
  private String trouble = "";
  private long moved;

  RotationWorker(RotationLoop loop, RateLimit throttle, EventLog log) {
    this.loop = loop;
    this.throttle = throttle;
    this.log = log;
  }

  /// One turn. Returns after what time the next is due.
  Duration turn() {
    NextTick nextTick = loop.tick();
    loop.lastKeystore().ifPresent(this::note);
    noteTrouble();
    long before = moved;
    moved = loop.rewrapped();
    return switch (nextTick) {
      case IMMEDIATELY -> throttle.after(moved - before);
      case LATER -> later();
    };
  }

  /// Records moved since this process started.
  long moved() {
    return loop.rewrapped();
  }

  private void note(Keystore keystore) {
    diary.note(keystore).forEach(news -> log.write(news.level(), news.words()));
  }

  /// Each trouble is said when it begins and when it is over, not at every turn.
  private void noteTrouble() {
    String now = loop.lastFailure().map(Throwable::getMessage).orElse("");
    if (now.equals(trouble)) {
      return;
    }
    if (now.isEmpty()) {
      log.info("the worker goes on; over is: " + trouble);
    } else {
      log.warn("the worker cannot go on just now: " + now);
    }
    trouble = now;
  }

  private Duration later() {
    Optional<Timings> timings = loop.lastKeystore().map(Keystore::timings);
    Duration part = timings.orElse(Timings.DEFAULT).heartbeat().dividedBy(TURNS_PER_BEAT);
    return part.compareTo(SHORTEST) < 0 ? SHORTEST : part;
  }
}
