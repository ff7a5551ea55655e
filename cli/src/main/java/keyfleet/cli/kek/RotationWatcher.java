package keyfleet.cli.kek;

import java.util.function.Predicate;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.output.Console;

/// Polls a rotation and shows its progress.
record RotationWatcher(CommandSession session, Console console, RotationDisplay display) {
  /// Polls until the rotation is finished or the deadline is reached; returns the last status.
  RotationStatus watchUntil(Predicate<RotationStatus> isFinished, Deadline deadline) {
    try (InterruptMessage _ =
        new InterruptMessage(
            console,
            "The rotation continues. To watch it again: keyfleet kek watch"
                + KeyOptions.keyringFlag(session.keyring()))) {
      RotationStatus status = RotationStatus.read(session);
      display.show(status, session.ticker().nanos());
      while (!isFinished.test(status) && !deadline.isReached()) {
        deadline.pause();
        status = RotationStatus.read(session);
        display.show(status, session.ticker().nanos());
      }
      display.finish();
      return status;
    }
  }
}
