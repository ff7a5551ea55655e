package keyfleet.watchdog;

/// The node's own disk or software cannot be used now. The tick ends and the next one tries again;
/// the deadline bounds for how long.
public final class MachineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MachineException(String sentence) {
    super(sentence);
  }

  public MachineException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
