package keyfleet.server;

import java.time.Duration;
import java.util.Optional;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.control.rotation.RotationLoop.NextTick;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;

/// Drives the rotations of one keyring, one tick of the [RotationLoop] at a time, and logs changes.
final class RotationWorker {
  /// Without a change hint, a worker sees a new rotation after this fraction of a heartbeat.
  private static final int TICKS_PER_HEARTBEAT = 6;

  private static final Duration MIN_PAUSE = Duration.ofMillis(50);

  private final RotationLoop loop;
  private final RateLimit rateLimit;
  private final RotationChangeDetector changeDetector = new RotationChangeDetector();
  private final EventLog log;
  private String lastFailure = "";
  private long rewrapped;
  private boolean wasStalled;

  RotationWorker(RotationLoop loop, RateLimit rateLimit, EventLog log) {
    this.loop = loop;
    this.rateLimit = rateLimit;
    this.log = log;
  }

  /// Returns the pause before the next tick.
  Duration runTick() {
    NextTick nextTick = tick();
    loop.lastKeystore().ifPresent(this::logChanges);
    logFailureChange();
    long before = rewrapped;
    rewrapped = loop.rewrappedRecords();
    return switch (nextTick) {
      case IMMEDIATELY ->
          loop.rate()
              .map(it -> new RateLimit(it.perSecond()))
              .orElse(rateLimit)
              .pauseAfter(rewrapped - before);
      case LATER -> idlePause();
    };
  }

  /// The task that runs the ticks logs the exception itself.
  private NextTick tick() {
    try {
      return loop.tick();
    } finally {
      boolean isStalled = loop.isStalled();
      if (isStalled && !wasStalled) {
        log.warn(
            "this driver fails unexpectedly at every step: it sends no driver heartbeat, so that"
                + " another worker takes the rotation over. Try: keyfleet kek status");
      } else if (wasStalled && !isStalled) {
        log.info("this worker no longer fails unexpectedly");
      }
      wasStalled = isStalled;
    }
  }

  /// Records that this process has rewrapped since its start.
  long rewrapped() {
    return loop.rewrappedRecords();
  }

  private void logChanges(Keystore keystore) {
    changeDetector.detect(keystore).forEach(log::write);
  }

  /// Logs a failure when it begins and when it ends, not at every tick.
  private void logFailureChange() {
    String now = loop.lastFailure().map(Throwable::getMessage).orElse("");
    if (now.equals(lastFailure)) {
      return;
    }
    if (now.isEmpty()) {
      log.info("worker recovered from: " + lastFailure);
    } else {
      log.warn("worker cannot continue, and retries: " + now);
    }
    lastFailure = now;
  }

  private Duration idlePause() {
    Optional<Timings> timings = loop.lastKeystore().map(Keystore::timings);
    Duration pause = timings.orElse(Timings.DEFAULT).heartbeat().dividedBy(TICKS_PER_HEARTBEAT);
    return pause.compareTo(MIN_PAUSE) < 0 ? MIN_PAUSE : pause;
  }
}
