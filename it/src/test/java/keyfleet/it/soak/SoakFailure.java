package keyfleet.it.soak;

/// A promise of the plugin that was seen broken, in one sentence.
final class SoakFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SoakFailure(String sentence) {
    super(sentence);
  }
}
