package keyfleet.crypto;

import org.jspecify.annotations.Nullable;

/// A KEK cannot be used at the moment: its device or service did not answer, or refused the caller.
/// This says nothing about the data.
public final class KekUnavailableException extends KeyfleetException {
  private static final long serialVersionUID = 1L;

  private static final String REMEDY = "keyfleet kek verify --local, which checks the key provider";

  public KekUnavailableException(String sentence) {
    this(sentence, null);
  }

  public KekUnavailableException(String sentence, @Nullable Throwable cause) {
    super(sentence, REMEDY, cause);
  }
}
