package keyfleet.rollout.target;

/// A part of a target is wrong at an offset in that part. The parser turns the offset into a
/// position in the whole text; for other callers this is an illegal argument.
final class TargetSyntaxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final int offset;
  private final String reason;

  TargetSyntaxException(int offset, String reason) {
    super(reason + " (at " + offset + ")");
    this.offset = offset;
    this.reason = reason;
  }

  int offset() {
    return offset;
  }

  String reason() {
    return reason;
  }
}
