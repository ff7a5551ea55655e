package keyfleet.cli;

/// Exit codes that scripts rely on.
final class Exit {
  static final int OK = 0;
  static final int ERROR = 1;
  static final int CONDITION_NOT_MET = 2;
  static final int NOT_FOUND = 6;
  static final int CONFLICT = 7;

  private Exit() {}
}
