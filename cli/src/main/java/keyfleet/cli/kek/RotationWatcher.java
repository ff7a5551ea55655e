package keyfleet.cli.kek;

import java.util.function.Predicate;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.output.Console;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;

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
      boolean isStoreSilent = false;
      boolean isWorkerMissing = false;
      while ((isStoreSilent || !isFinished.test(status)) && !deadline.isReached()) {
        deadline.pause();
        console.requireReader();
        try {
          RotationStatus previous = status;
          status = RotationStatus.read(session);
          if (status.equals(previous)
              || isWorkerMissing) { // without progress only: it reads the roster
            isWorkerMissing = reportWorkers(status, isWorkerMissing);
          }
          if (isStoreSilent) {
            console.printMessage("the store answers again");
          }
          isStoreSilent = false;
          display.show(status, session.ticker().nanos());
        } catch (StoreRefusedException e) {
          throw e;
        } catch (StoreException e) {
          if (!isStoreSilent) {
            console.printMessage(Console.sanitize("still watching: " + e.getMessage()));
          }
          isStoreSilent = true;
        }
      }
      display.finish();
      return status;
    } finally {
      remove(hook);
    }
  }

  /// Says once when no worker is fresh, and once when one is again. Returns whether none is.
  private boolean reportWorkers(RotationStatus status, boolean wasMissing) {
    boolean isMissing =
        status.isUnderWay() && !session.keyringOperations().hasFreshWorker(status.keystore());
    if (isMissing && !wasMissing) {
      console.printMessage(
          "no worker is fresh: the rotation waits until one is started, with"
              + " keyfleet server --roles worker");
    } else if (wasMissing && !isMissing && status.isUnderWay()) {
      console.printMessage("a worker is fresh again");
    }
    return isMissing;
  }

  /// Runs when the user ends the command with Ctrl-C. The JVM then exits with 130; the rotation
  /// continues.
  private void printInterrupted() {
    console.err().println();
    console.printMessage(
        "The rotation continues. To watch it again: "
            + console.complete("keyfleet kek watch" + KeyOptions.keyringFlag(session.keyring())));
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
