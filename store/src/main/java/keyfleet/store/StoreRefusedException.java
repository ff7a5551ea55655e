package keyfleet.store;

/// The store answers, but must not be used as it is: a wrong password, a schema of another version,
/// a server that may lose what it acknowledged. Trying again does not help; the remedy does.
public final class StoreRefusedException extends StoreException {
  private static final long serialVersionUID = 1L;

  private final String remedy;

  public StoreRefusedException(String sentence, String remedy) {
    super(sentence);
    this.remedy = remedy;
  }

  public StoreRefusedException(String sentence, String remedy, Throwable cause) {
    super(sentence, cause);
    this.remedy = remedy;
  }

  public String remedy() {
    return remedy;
  }
}
