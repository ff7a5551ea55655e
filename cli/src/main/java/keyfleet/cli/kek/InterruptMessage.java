package keyfleet.cli.kek;

import keyfleet.cli.output.Console;

/// Prints a message when the user ends a command with Ctrl-C. The JVM then exits with 130; the
/// rotation continues.
final class InterruptMessage implements AutoCloseable {
  private final Thread hook;

  InterruptMessage(Console console, String text) {
    hook =
        Thread.ofPlatform()
            .name("keyfleet-interrupt-message")
            .unstarted(() -> print(console, text));
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private static void print(Console console, String text) {
    console.err().println();
    console.err().println(text);
    console.err().flush();
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM is shutting down, so the hook prints the message
    }
  }
}
