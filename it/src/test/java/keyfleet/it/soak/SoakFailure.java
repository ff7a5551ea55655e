package keyfleet.it.soak;

/// The plugin did what it must never do; the message is one sentence.
final class SoakFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SoakFailure(String message) {
    super(message);
  }
}
