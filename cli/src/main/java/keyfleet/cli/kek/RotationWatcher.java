package keyfleet.cli.kek;

import java.util.function.Predicate;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.output.Console;

/// Polls a rotation and shows its progress.
final class RotationWatcher {
  private final CommandSession session;
  private final Console console;
  private final RotationDisplay display;

  RotationWatcher(CommandSession session, Console console, RotationDisplay display) {
    this.session = session;
    this.console = console;
    this.display = display;
  }

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
