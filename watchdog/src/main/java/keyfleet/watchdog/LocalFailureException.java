package keyfleet.watchdog;

/// The node's own disk or software cannot be used now. The tick ends and the next one tries again;
/// the deadline bounds for how long.
public final class LocalFailureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LocalFailureException(String message) {
    super(message);
  }

  public LocalFailureException(String message, Throwable cause) {
    super(message, cause);
  }
}
