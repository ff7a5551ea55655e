package keyfleet.cli.demo;

import java.time.Duration;
import java.util.List;

/// The fleet of the demonstration: runs commands and processes, and manages their key files.
interface DemoFleet {
  /// The exit code and output of a command or process.
  record CommandResult(int exitCode, List<String> out, List<String> err) {}

  /// Runs a command as the operator.
  CommandResult run(String... arguments);

  /// Starts a process under this name, with a key folder of its own.
  void start(String name, String... arguments);

  long pid(String name);

  /// Kills the process without a signal that it could handle.
  void kill(String name);

  /// Stops the process and waits until it has ended.
  CommandResult stop(String name);

  /// Copies a key of the operator to a process.
  void copyKey(int version, String name);

  /// Deletes a key of every process, and of the operator.
  void deleteKey(int version);

  void pause(Duration duration);
}
