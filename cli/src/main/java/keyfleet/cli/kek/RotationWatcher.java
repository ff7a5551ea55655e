package keyfleet.cli.kek;

import java.util.function.Predicate;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.output.Console;

/// Looks at a rotation again and again, and shows it.
final class RotationWatcher {
  private final CommandSession desk;
  private final Console console;
  private final RotationDisplay screen;

  RotationWatcher(CommandSession desk, Console console, RotationDisplay screen) {
    this.desk = desk;
    this.console = console;
    this.screen = screen;
  }

  /// What was last seen: it is over, or the time is.
  RotationStatus until(Predicate<RotationStatus> over, Deadline deadline) {
    try (InterruptMessage _ =
        new InterruptMessage(
            console, "It goes on without you. To see it again: keyfleet kek watch")) {
      RotationStatus view = RotationStatus.at(desk);
      screen.show(view, desk.ticker().nanos());
      while (!over.test(view) && !deadline.isOver()) {
        deadline.pause();
        view = RotationStatus.at(desk);
        screen.show(view, desk.ticker().nanos());
      }
      screen.end();
      return view;
    }
  }
}
