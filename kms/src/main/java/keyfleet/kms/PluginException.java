package keyfleet.kms;

import org.jspecify.annotations.Nullable;

/// The plugin cannot start or continue with its configuration: a sentence and a remedy. Neither
/// contains a secret.
public final class PluginException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String remedy;

  public PluginException(String sentence, String remedy) {
    this(sentence, remedy, null);
  }

  public PluginException(String sentence, String remedy, @Nullable Throwable cause) {
    super(sentence, cause);
    this.remedy = remedy;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  public String remedy() {
    return remedy;
  }
}
