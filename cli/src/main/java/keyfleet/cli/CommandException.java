package keyfleet.cli;

/// A command cannot do what it was told: why, what to do about it, and its exit code.
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exit;
  private final String remedy;

  /// An error, or wrong usage.
  CommandException(String sentence, String remedy) {
    this(Exit.ERROR, sentence, remedy);
  }

  private CommandException(int exit, String sentence, String remedy) {
    super(sentence);
    this.exit = exit;
    this.remedy = remedy;
  }

  /// What was asked for may be right, but not now.
  static CommandException unmet(String sentence, String remedy) {
    return new CommandException(Exit.CONDITION_NOT_MET, sentence, remedy);
  }

  static CommandException notFound(String sentence, String remedy) {
    return new CommandException(Exit.NOT_FOUND, sentence, remedy);
  }

  /// Somebody else changed the same thing meanwhile.
  static CommandException conflict(String sentence, String remedy) {
    return new CommandException(Exit.CONFLICT, sentence, remedy);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  int exit() {
    return exit;
  }

  String remedy() {
    return remedy;
  }
}
