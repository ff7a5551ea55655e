package keyfleet.cli;

/// A command cannot do what it was told; exit code 1.
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String remedy;

  CommandException(String sentence, String remedy) {
    super(sentence);
    this.remedy = remedy;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  String remedy() {
    return remedy;
  }
}
