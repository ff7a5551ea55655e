package keyfleet.cli.output;

/// A command cannot do what it was told: why, what to do about it, and its exit code.
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exit;
  private final String remedy;

  /// An error, or wrong usage.
  public CommandException(String sentence, String remedy) {
    this(ExitCode.ERROR, sentence, remedy);
  }

  private CommandException(int exit, String sentence, String remedy) {
    super(sentence);
    this.exit = exit;
    this.remedy = remedy;
  }

  /// What was asked for may be right, but not now.
  public static CommandException unmet(String sentence, String remedy) {
    return new CommandException(ExitCode.CONDITION_NOT_MET, sentence, remedy);
  }

  public static CommandException notFound(String sentence, String remedy) {
    return new CommandException(ExitCode.NOT_FOUND, sentence, remedy);
  }

  /// Somebody else changed the same thing meanwhile.
  public static CommandException conflict(String sentence, String remedy) {
    return new CommandException(ExitCode.CONFLICT, sentence, remedy);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  public int exit() {
    return exit;
  }

  public String remedy() {
    return remedy;
  }
}
