package keyfleet.cli.kek;

import java.util.function.Predicate;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.output.Console;

/// Looks at a rotation again and again, and shows it.
final class RotationWatcher {
  private final CommandSession session;
  private final Console console;
  private final RotationDisplay display;

  RotationWatcher(CommandSession session, Console console, RotationDisplay display) {
    this.session = session;
    this.console = console;
    this.display = display;
  }

  /// What was last seen: it is over, or the time is.
  RotationStatus watchUntil(Predicate<RotationStatus> isFinished, Deadline deadline) {
    try (InterruptMessage _ =
        new InterruptMessage(
            console, "It goes on without you. To see it again: keyfleet kek watch")) {
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
