package keyfleet.store;

/// One property that safety needs of a database, and whether this database has it. The remedy is
/// empty if there is nothing to do.
public record Check(Level level, String sentence, String remedy) {
  /// In rising order: the worst level comes last.
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
