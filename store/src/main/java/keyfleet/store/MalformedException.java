package keyfleet.store;

/// A stored value is not what its key promises: written by a stranger, or by a program too new.
/// Nobody may act on it; unknown is not ready.
public final class MalformedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MalformedException(String sentence) {
    super(sentence);
  }

  public MalformedException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
