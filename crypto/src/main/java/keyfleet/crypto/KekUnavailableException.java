package keyfleet.crypto;

/// A KEK cannot be used at the moment: its device or service did not answer, or refused the caller.
/// This says nothing about the data.
public final class KekUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public KekUnavailableException(String message) {
    super(message);
  }

  public KekUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
