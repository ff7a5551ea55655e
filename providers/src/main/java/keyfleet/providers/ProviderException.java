package keyfleet.providers;

import keyfleet.crypto.KeyfleetException;

/// A provider cannot be used with its present setup.
public final class ProviderException extends KeyfleetException {
  private static final long serialVersionUID = 1L;

  public ProviderException(String sentence, String remedy) {
    super(sentence, remedy);
  }

  public ProviderException(String sentence, String remedy, Throwable cause) {
    super(sentence, remedy, cause);
  }
}
