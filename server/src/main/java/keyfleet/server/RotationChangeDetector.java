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
import keyfleet.server.EventLog.Level;
import org.jspecify.annotations.Nullable;

/// What is new about a keyring's rotation since it was last looked at.
final class RotationChangeDetector {
  /// Something to say once.
  record Event(Level level, String message) {}

  private @Nullable Rotation previous;

  /// Nothing at the first look: it is the state of things, and no news.
  List<Event> detect(Keystore keystore) {
    Rotation before = previous;
    previous = keystore.rotation();
    if (before == null || before.equals(previous)) {
      return List.of();
    }
    List<Event> events = new ArrayList<>();
    Optional<RotationJob> rotationJob = Rotation.lastJob(previous);
    rotationJob.ifPresent(it -> addJobEvents(it, Rotation.lastJob(before).orElse(null), events));
    if (!before.phase().equals(previous.phase()) || rotationJob.isEmpty()) {
      events.add(phaseEvent(before, previous));
    }
    return events;
  }

  private static void addJobEvents(
      RotationJob rotationJob, @Nullable RotationJob before, List<Event> events) {
    if (before == null || !before.id().equals(rotationJob.id())) {
      events.add(
          infoEvent(
              "%s ordered: %s -> %s"
                  .formatted(nameOf(rotationJob), rotationJob.from(), rotationJob.to())));
      return;
    }
    if (rotationJob.course() != before.course() && rotationJob.course() == Course.TURNED) {
      events.add(
          infoEvent(
              "%s goes back: %s -> %s"
                  .formatted(nameOf(rotationJob), rotationJob.from(), rotationJob.to())));
    }
    String driver = before.driver();
    if (!rotationJob.driver().equals(driver)) {
      String from = driver.isEmpty() ? "" : ", which " + driver + " drove before";
      events.add(infoEvent(nameOf(rotationJob) + " is driven by " + rotationJob.driver() + from));
    }
  }

  private static Event phaseEvent(Rotation before, Rotation now) {
    return switch (now) {
      case Running running -> infoEvent(nameOf(running.rotationJob()) + " is " + now.phase());
      case Paused(Running was) -> infoEvent(nameOf(was.rotationJob()) + " is paused");
      case Blocked(RotationJob rotationJob, long failed) ->
          new Event(
              Level.WARN,
              "%s is blocked by %d records that only a person can mend. Try: keyfleet kek status"
                  .formatted(nameOf(rotationJob), failed));
      case Completed(RotationJob rotationJob) ->
          infoEvent(nameOf(rotationJob) + " is completed: " + rotationJob.to() + " is active");
      case Aborted(RotationJob rotationJob) ->
          infoEvent(nameOf(rotationJob) + " is aborted: " + rotationJob.to() + " is active");
      case Idle() ->
          infoEvent(
              Rotation.lastJob(before).map(RotationChangeDetector::nameOf).orElse("the rotation")
                  + " is over, and changed nothing");
    };
  }

  private static String nameOf(RotationJob rotationJob) {
    String kind =
        switch (rotationJob.kind()) {
          case ROTATION -> "rotation ";
          case REVOCATION -> "revocation ";
          case DRY_RUN -> "dry run ";
        };
    return kind + rotationJob.id().value();
  }

  private static Event infoEvent(String message) {
    return new Event(Level.INFO, message);
  }
}
