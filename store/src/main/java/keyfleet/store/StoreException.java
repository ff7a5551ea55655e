package keyfleet.store;

/// The store could not be used just now. A write that ends so did not happen and will not: where
/// that is not sure, the answer is [Unknown].
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
