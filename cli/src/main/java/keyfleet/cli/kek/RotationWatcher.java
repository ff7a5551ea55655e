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
    Thread hook =
        Thread.ofPlatform().name("keyfleet-interrupt-message").unstarted(this::printInterrupted);
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      RotationStatus status = RotationStatus.read(session);
      display.show(status, session.ticker().nanos());
      while (!isFinished.test(status) && !deadline.isReached()) {
        deadline.pause();
        status = RotationStatus.read(session);
        display.show(status, session.ticker().nanos());
      }
      display.finish();
      return status;
    } finally {
      remove(hook);
    }
  }

  /// Runs when the user ends the command with Ctrl-C. The JVM then exits with 130; the rotation
  /// continues.
  private void printInterrupted() {
    console.err().println();
    console.printMessage(
        "The rotation continues. To watch it again: keyfleet kek watch"
            + KeyOptions.keyringFlag(session.keyring()));
    console.err().flush();
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM is shutting down, so the hook prints the message
    }
  }
}
