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
  private static final int TURNS_PER_HEARTBEAT = 6;

  private static final Duration MIN_PAUSE = Duration.ofMillis(50);

  private final RotationLoop loop;
  private final RateLimit rateLimit;
  private final RotationChangeDetector changeDetector = new RotationChangeDetector();
  private final EventLog log;
  private String lastTrouble = "";
  private long rewrapped;

  RotationWorker(RotationLoop loop, RateLimit rateLimit, EventLog log) {
    this.loop = loop;
    this.rateLimit = rateLimit;
    this.log = log;
  }

  /// One turn. Returns after what time the next is due.
  Duration runTurn() {
    NextTick nextTick = loop.tick();
    loop.lastKeystore().ifPresent(this::logChanges);
    logTroubleChange();
    long before = rewrapped;
    rewrapped = loop.rewrapped();
    return switch (nextTick) {
      case IMMEDIATELY -> rateLimit.pauseAfter(rewrapped - before);
      case LATER -> idlePause();
    };
  }

  /// Records moved since this process started.
  long rewrapped() {
    return loop.rewrapped();
  }

  private void logChanges(Keystore keystore) {
    changeDetector.detect(keystore).forEach(event -> log.write(event.level(), event.message()));
  }

  /// Each trouble is said when it begins and when it is over, not at every turn.
  private void logTroubleChange() {
    String now = loop.lastFailure().map(Throwable::getMessage).orElse("");
    if (now.equals(lastTrouble)) {
      return;
    }
    if (now.isEmpty()) {
      log.info("the worker goes on; over is: " + lastTrouble);
    } else {
      log.warn("the worker cannot go on just now: " + now);
    }
    lastTrouble = now;
  }

  private Duration idlePause() {
    Optional<Timings> timings = loop.lastKeystore().map(Keystore::timings);
    Duration pause = timings.orElse(Timings.DEFAULT).heartbeat().dividedBy(TURNS_PER_HEARTBEAT);
    return pause.compareTo(MIN_PAUSE) < 0 ? MIN_PAUSE : pause;
  }
}
