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
  record Event(Level level, String words) {}

  private @Nullable Rotation last;

  /// Nothing at the first look: it is the state of things, and no news.
  List<Event> note(Keystore keystore) {
    Rotation before = last;
    last = keystore.rotation();
    if (before == null || before.equals(last)) {
      return List.of();
    }
    List<Event> news = new ArrayList<>();
    Optional<RotationJob> rotationJob = Rotation.lastJob(last);
    rotationJob.ifPresent(it -> about(it, Rotation.lastJob(before).orElse(null), news));
    if (!before.phase().equals(last.phase()) || rotationJob.isEmpty()) {
      news.add(phase(before, last));
    }
    return news;
  }

  private static void about(
      RotationJob rotationJob, @Nullable RotationJob before, List<Event> news) {
    if (before == null || !before.id().equals(rotationJob.id())) {
      news.add(
          info(
              "%s ordered: %s -> %s"
                  .formatted(name(rotationJob), rotationJob.from(), rotationJob.to())));
      return;
    }
    if (rotationJob.course() != before.course() && rotationJob.course() == Course.TURNED) {
      news.add(
          info(
              "%s goes back: %s -> %s"
                  .formatted(name(rotationJob), rotationJob.from(), rotationJob.to())));
    }
    String driver = before.driver();
    if (!rotationJob.driver().equals(driver)) {
      String from = driver.isEmpty() ? "" : ", which " + driver + " drove before";
      news.add(info(name(rotationJob) + " is driven by " + rotationJob.driver() + from));
    }
  }

  private static Event phase(Rotation before, Rotation now) {
    return switch (now) {
      case Running running -> info(name(running.rotationJob()) + " is " + now.phase());
      case Paused(Running was) -> info(name(was.rotationJob()) + " is paused");
      case Blocked(RotationJob rotationJob, long failed) ->
          new Event(
              Level.WARN,
              "%s is blocked by %d records that only a person can mend. Try: keyfleet kek status"
                  .formatted(name(rotationJob), failed));
      case Completed(RotationJob rotationJob) ->
          info(name(rotationJob) + " is completed: " + rotationJob.to() + " is active");
      case Aborted(RotationJob rotationJob) ->
          info(name(rotationJob) + " is aborted: " + rotationJob.to() + " is active");
      case Idle() ->
          info(
              Rotation.lastJob(before).map(RotationChangeDetector::name).orElse("the rotation")
                  + " is over, and changed nothing");
    };
  }

  private static String name(RotationJob rotationJob) {
    String kind =
        switch (rotationJob.kind()) {
          case ROTATION -> "rotation ";
          case REVOCATION -> "revocation ";
          case DRY_RUN -> "dry run ";
        };
    return kind + rotationJob.id().value();
  }

  private static Event info(String words) {
    return new Event(Level.INFO, words);
  }
}
