package keyfleet.member.process;

import java.util.Arrays;

/// Something that the operator of a process needs to know, reported once. No message contains a
/// secret.
///
/// @param message one line, without the names of the process and the keyring: the log shows those
public record ProcessEvent(Severity severity, String message) {
  private static final int MAX_CAUSES = 4;
  private static final int MAX_FRAMES = 40;

  /// How important an event is.
  public enum Severity {
    /// Only for the developers of this program.
    DEBUG,
    INFO,
    /// Something does not work. It recovers by itself or needs a person.
    WARN,
    /// A person must look at it now.
    ERROR
  }

  public static ProcessEvent info(String message) {
    return new ProcessEvent(Severity.INFO, message);
  }

  public static ProcessEvent warning(String message) {
    return new ProcessEvent(Severity.WARN, message);
  }

  /// A bug in this program. The message of an unexpected exception may quote a secret, so the event
  /// has only its type and place.
  public static ProcessEvent unexpectedFailure(String activity, Throwable e) {
    StackTraceElement[] trace = e.getStackTrace();
    Object place = trace.length == 0 ? "an unknown place" : trace[0];
    return new ProcessEvent(
        Severity.ERROR,
        "%s failed unexpectedly, which is a bug: %s at %s"
            .formatted(activity, e.getClass().getSimpleName(), place));
  }

  /// Where an unexpected exception and its causes were thrown, without their messages.
  public static ProcessEvent stackOf(String activity, Throwable e) {
    StringBuilder text = new StringBuilder("stack of the failure of ").append(activity);
    Throwable cause = e;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      text.append(depth == 0 ? ": " : "; caused by ").append(cause.getClass().getName());
      Arrays.stream(cause.getStackTrace())
          .limit(MAX_FRAMES)
          .forEach(it -> text.append(" at ").append(it));
      cause = cause.getCause();
    }
    return new ProcessEvent(Severity.DEBUG, text.toString());
  }
}
