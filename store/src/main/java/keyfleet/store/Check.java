package keyfleet.store;

/// One thing that safety needs of a database, and whether this one has it. Nothing to do has an
/// empty remedy.
public record Check(Level level, String sentence, String remedy) {
  /// How bad it is; the worst comes last.
  public enum Level {
    OK,
    WARN,
    FAIL
  }

  public static Check ok(String sentence) {
    return new Check(Level.OK, sentence, "");
  }

  public static Check warn(String sentence, String remedy) {
    return new Check(Level.WARN, sentence, remedy);
  }

  public static Check fail(String sentence, String remedy) {
    return new Check(Level.FAIL, sentence, remedy);
  }
}
