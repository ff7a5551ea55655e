package keyfleet.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.Rotation.Paused;
import keyfleet.keyring.Rotation.Running;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.RotationJob.Course;
import keyfleet.member.process.ProcessEvent;
import org.jspecify.annotations.Nullable;

/// Compares a keyring's rotation with its previous state and returns the changes as log events.
final class RotationChangeDetector {
  private @Nullable Rotation previous;

  /// The first call returns no events: there is nothing to compare with.
  List<ProcessEvent> detect(Keystore keystore) {
    Rotation before = previous;
    previous = keystore.rotation();
    if (before == null || before.equals(previous)) {
      return List.of();
    }
    List<ProcessEvent> events = new ArrayList<>();
    Optional<RotationJob> job = Rotation.lastJob(previous);
    job.ifPresent(it -> addJobEvents(it, Rotation.lastJob(before).orElse(null), events));
    if (!before.phase().equals(previous.phase()) || job.isEmpty()) {
      events.add(phaseEvent(before, previous));
    }
    return events;
  }

  private static void addJobEvents(
      RotationJob job, @Nullable RotationJob before, List<ProcessEvent> events) {
    if (before == null || !before.id().equals(job.id())) {
      events.add(
          ProcessEvent.info("%s started: %s -> %s".formatted(nameOf(job), job.from(), job.to())));
      return;
    }
    if (job.course() != before.course() && job.course() == Course.TURNED) {
      events.add(
          ProcessEvent.info(
              "%s is reversed: %s -> %s".formatted(nameOf(job), job.from(), job.to())));
    }
    String driver = before.driver();
    if (!job.driver().equals(driver)) {
      String from = driver.isEmpty() ? "" : ", previously by " + driver;
      events.add(
          job.isDrivenBy(RotationJob.NO_DRIVER)
              ? ProcessEvent.warning(nameOf(job) + " was given up by its driver " + driver)
              : ProcessEvent.info(nameOf(job) + " is driven by " + job.driver() + from));
    }
  }

  private static ProcessEvent phaseEvent(Rotation before, Rotation now) {
    return switch (now) {
      case Running running -> ProcessEvent.info(nameOf(running.job()) + " is " + now.phase());
      case Paused(Running was) -> ProcessEvent.info(nameOf(was.job()) + " is paused");
      case Blocked(RotationJob job, long failed) ->
          ProcessEvent.warning(
              "%s is blocked: %d records fail until a person repairs them. Try: keyfleet kek status"
                  .formatted(nameOf(job), failed));
      case Completed(RotationJob job) ->
          ProcessEvent.info(nameOf(job) + " is completed: " + job.to() + " is active");
      case Aborted(RotationJob job) ->
          ProcessEvent.info(nameOf(job) + " is aborted: " + job.to() + " is active");
      case Idle() ->
          ProcessEvent.info(
              Rotation.lastJob(before).map(RotationChangeDetector::nameOf).orElse("the rotation")
                  + " ended without changes");
    };
  }

  private static String nameOf(RotationJob job) {
    String kind =
        switch (job.kind()) {
          case ROTATION -> "rotation ";
          case REVOCATION -> "revocation ";
          case DRY_RUN -> "dry run ";
        };
    return kind + job.id().value();
  }
}
