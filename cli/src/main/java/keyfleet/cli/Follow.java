package keyfleet.cli;

import java.util.function.Predicate;
import keyfleet.cli.WaitOptions.Deadline;

/// Looks at a rotation again and again, and shows it.
final class Follow {
  private final Desk desk;
  private final Console console;
  private final Screen screen;

  Follow(Desk desk, Console console, Screen screen) {
    this.desk = desk;
    this.console = console;
    this.screen = screen;
  }

  /// What was last seen: it is over, or the time is.
  RotationView until(Predicate<RotationView> over, Deadline deadline) {
    try (Farewell _ =
        new Farewell(console, "It goes on without you. To see it again: keyfleet kek watch")) {
      RotationView view = RotationView.at(desk);
      screen.show(view, desk.ticker().nanos());
      while (!over.test(view) && !deadline.isOver()) {
        deadline.pause();
        view = RotationView.at(desk);
        screen.show(view, desk.ticker().nanos());
      }
      screen.end();
      return view;
    }
  }
}
