package keyfleet.providers;

/// A provider cannot be used with its present setup. The message is one sentence with the place and
/// the rule, and never a secret. The remedy is what to type or to change.
public final class ProviderException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String remedy;

  public ProviderException(String message, String remedy) {
    super(message);
    this.remedy = remedy;
  }

  public ProviderException(String message, String remedy, Throwable cause) {
    super(message, cause);
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
