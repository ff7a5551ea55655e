package keyfleet.member.process;

/// Something that the operator of a process needs to know, reported once. No message contains a
/// secret.
///
/// @param message one line, without the names of the process and the keyring: the log shows those
public record ProcessEvent(Severity severity, String message) {
  /// How important an event is.
  public enum Severity {
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
}
