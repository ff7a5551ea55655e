package keyfleet.store;

/// The store must not be used as it is, or not by us. Trying again does not help; the remedy does.
public final class StoreRefusedException extends StoreException {
  private static final long serialVersionUID = 1L;

  /// Who refuses.
  public enum Ground {
    /// The address is wrong, or the server does not let us in: nothing is known about the store.
    NO_ENTRY,
    /// The store answers, but may lose what it acknowledged, or is not the store we expect.
    UNFIT
  }

  private final Ground ground;
  private final String remedy;

  private StoreRefusedException(Ground ground, String sentence, String remedy) {
    super(sentence);
    this.ground = ground;
    this.remedy = remedy;
  }

  /// The store is unfit.
  public StoreRefusedException(String sentence, String remedy) {
    this(Ground.UNFIT, sentence, remedy);
  }

  public StoreRefusedException(String sentence, String remedy, Throwable cause) {
    this(Ground.UNFIT, sentence, remedy);
    initCause(cause);
  }

  public static StoreRefusedException noEntry(String sentence, String remedy) {
    return new StoreRefusedException(Ground.NO_ENTRY, sentence, remedy);
  }

  public Ground ground() {
    return ground;
  }

  public String remedy() {
    return remedy;
  }
}
