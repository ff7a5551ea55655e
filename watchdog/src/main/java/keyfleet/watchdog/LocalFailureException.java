package keyfleet.watchdog;

/// The node's own disk or software cannot be used now. The tick ends and the next one tries again;
/// the deadline bounds for how long.
public final class LocalFailureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LocalFailureException(String sentence) {
    super(sentence);
  }

  public LocalFailureException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
