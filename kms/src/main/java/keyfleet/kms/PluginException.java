package keyfleet.kms;

import keyfleet.crypto.KeyfleetException;
import org.jspecify.annotations.Nullable;

/// The plugin cannot start or continue with its configuration.
public final class PluginException extends KeyfleetException {
  private static final long serialVersionUID = 1L;

  public PluginException(String sentence, String remedy) {
    super(sentence, remedy);
  }

  public PluginException(String sentence, String remedy, @Nullable Throwable cause) {
    super(sentence, remedy, cause);
  }
}
