package keyfleet.store;

/// A stored value does not have the format that its key requires: another program or a newer
/// version wrote it. No decision may rely on such a value: what is unknown counts as not ready.
public final class MalformedValueException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MalformedValueException(String sentence) {
    super(sentence);
  }

  public MalformedValueException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
