package keyfleet.it;

/// A promise of the plugin that was seen broken, in one sentence.
final class BrokenPromise extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokenPromise(String sentence) {
    super(sentence);
  }
}
