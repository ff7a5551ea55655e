package keyfleet.cli.demo;

import java.time.Duration;
import java.util.List;

/// Where the demonstration plays: it runs commands and processes, and holds their keys.
interface DemoFleet {
  /// What a command or a process came to.
  record CommandResult(int exitCode, List<String> out, List<String> err) {}

  /// Runs a command as the operator.
  CommandResult run(String... arguments);

  /// Starts a process under this name, with a key folder of its own.
  void start(String name, String... arguments);

  long pid(String name);

  /// Ends it without a warning.
  void kill(String name);

  /// Asks it to end, and waits until it has.
  CommandResult stop(String name);

  /// Gives a process a key that the operator has.
  void copyKey(int version, String name);

  /// Deletes a key everywhere, the operator's copy too.
  void deleteKey(int version);

  void pause(Duration duration);
}
