package keyfleet.cli.output;

import keyfleet.crypto.KeyfleetException;

/// A command failed: the reason, what to do about it, and the exit code.
public final class CommandException extends KeyfleetException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /// An error, which may be wrong usage.
  public CommandException(String message, String remedy) {
    this(ExitCode.ERROR, message, remedy);
  }

  private CommandException(int exitCode, String message, String remedy) {
    super(message, remedy);
    this.exitCode = exitCode;
  }

  /// The request is valid, but a condition for it does not hold now.
  public static CommandException conditionNotMet(String message, String remedy) {
    return new CommandException(ExitCode.CONDITION_NOT_MET, message, remedy);
  }

  public static CommandException notFound(String message, String remedy) {
    return new CommandException(ExitCode.NOT_FOUND, message, remedy);
  }

  /// Another writer changed the same thing in the meantime.
  public static CommandException conflict(String message, String remedy) {
    return new CommandException(ExitCode.CONFLICT, message, remedy);
  }

  public int exitCode() {
    return exitCode;
  }
}
