package keyfleet.store;

/// The store could not be used at the moment. A write that ends this way did not happen and will
/// not happen: where that is uncertain, the result is [Unknown].
public sealed class StoreException extends RuntimeException permits StoreRefusedException {
  private static final long serialVersionUID = 1L;

  public StoreException(String sentence) {
    super(sentence);
  }

  public StoreException(String sentence, Throwable cause) {
    super(sentence, cause);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
