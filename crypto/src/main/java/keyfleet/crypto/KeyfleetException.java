package keyfleet.crypto;

import org.jspecify.annotations.Nullable;

/// A failure that a person can mend: one sentence with the value and the rule, and the remedy,
/// which is what to type or to change. Neither contains a secret. Every module's own exceptions
/// extend this class, so that each program reports all of them in the same way.
public abstract class KeyfleetException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String remedy;

  protected KeyfleetException(String sentence, String remedy) {
    this(sentence, remedy, null);
  }

  protected KeyfleetException(String sentence, String remedy, @Nullable Throwable cause) {
    super(sentence, cause);
    this.remedy = remedy;
  }

  @Override
  public final String getMessage() {
    return String.valueOf(super.getMessage());
  }

  public final String remedy() {
    return remedy;
  }
}
