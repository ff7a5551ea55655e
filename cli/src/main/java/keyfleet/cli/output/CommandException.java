package keyfleet.cli.output;

/// A command cannot do what it was told: why, what to do about it, and its exit code.
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final String remedy;

  /// An error, or wrong usage.
  public CommandException(String message, String remedy) {
    this(ExitCode.ERROR, message, remedy);
  }

  private CommandException(int exitCode, String message, String remedy) {
    super(message);
    this.exitCode = exitCode;
    this.remedy = remedy;
  }

  /// What was asked for may be right, but not now.
  public static CommandException conditionNotMet(String message, String remedy) {
    return new CommandException(ExitCode.CONDITION_NOT_MET, message, remedy);
  }

  public static CommandException notFound(String message, String remedy) {
    return new CommandException(ExitCode.NOT_FOUND, message, remedy);
  }

  /// Somebody else changed the same thing meanwhile.
  public static CommandException conflict(String message, String remedy) {
    return new CommandException(ExitCode.CONFLICT, message, remedy);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  public int exitCode() {
    return exitCode;
  }

  public String remedy() {
    return remedy;
  }
}
