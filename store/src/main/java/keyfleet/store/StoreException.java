package keyfleet.store;

import keyfleet.crypto.KeyfleetException;
import org.jspecify.annotations.Nullable;

/// The store could not be used at the moment. A write that ends this way did not happen and will
/// not happen: where that is uncertain, the result is [Unknown].
public sealed class StoreException extends KeyfleetException permits StoreRefusedException {
  private static final long serialVersionUID = 1L;

  private static final String REMEDY =
      "start the store or check its address; keyfleet doctor shows whether it answers";

  public StoreException(String sentence) {
    this(sentence, REMEDY, null);
  }

  public StoreException(String sentence, @Nullable Throwable cause) {
    this(sentence, REMEDY, cause);
  }

  StoreException(String sentence, String remedy, @Nullable Throwable cause) {
    super(sentence, remedy, cause);
  }
}
