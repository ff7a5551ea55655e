package keyfleet.cli.kek;

import keyfleet.cli.output.Console;

/// Words for who leaves a command with Ctrl-C. The JVM then exits with 130; what the fleet does
/// goes on.
final class InterruptMessage implements AutoCloseable {
  private final Thread hook;

  InterruptMessage(Console console, String text) {
    hook = Thread.ofPlatform().name("keyfleet-farewell").unstarted(() -> print(console, text));
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
      // it is being said
    }
  }
}
