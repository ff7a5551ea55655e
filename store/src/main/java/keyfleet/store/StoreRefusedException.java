package keyfleet.store;

/// The store must not be used in its present state, or this process has no access. Retrying does
/// not help; the remedy does.
public final class StoreRefusedException extends StoreException {
  private static final long serialVersionUID = 1L;

  /// Why the store is refused.
  public enum Reason {
    /// The URL is wrong, or the server denies access: nothing is known about the store.
    NO_ACCESS,
    /// The store answers, but it may lose acknowledged writes, or it is not the expected store.
    UNSAFE
  }

  private final Reason reason;
  private final String remedy;

  private StoreRefusedException(Reason reason, String sentence, String remedy) {
    super(sentence);
    this.reason = reason;
    this.remedy = remedy;
  }

  /// The store is unsafe to use.
  public StoreRefusedException(String sentence, String remedy) {
    this(Reason.UNSAFE, sentence, remedy);
  }

  public StoreRefusedException(String sentence, String remedy, Throwable cause) {
    this(Reason.UNSAFE, sentence, remedy);
    initCause(cause);
  }

  public static StoreRefusedException noAccess(String sentence, String remedy) {
    return new StoreRefusedException(Reason.NO_ACCESS, sentence, remedy);
  }

  public Reason reason() {
    return reason;
  }

  public String remedy() {
    return remedy;
  }
}
