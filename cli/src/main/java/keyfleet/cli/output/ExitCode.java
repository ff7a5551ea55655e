package keyfleet.cli.output;

/// The exit codes. Scripts depend on them.
public final class ExitCode {
  public static final int OK = 0;
  public static final int ERROR = 1;
  public static final int CONDITION_NOT_MET = 2;
  static final int NOT_FOUND = 6;
  static final int CONFLICT = 7;

  /// The reader of standard output has ended: 128 and the number of SIGPIPE, as other programs
  /// exit.
  public static final int READER_GONE = 141;

  private ExitCode() {}
}
