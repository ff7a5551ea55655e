package keyfleet.store.engine;

/// One property that safety needs of a database, and whether this database has it. The remedy is
/// empty if there is nothing to do.
public record StoreCheck(Level level, String sentence, String remedy) {
  /// In rising order: the worst level comes last.
  public enum Level {
    OK,
    WARN,
    FAIL
  }

  public static StoreCheck ok(String sentence) {
    return new StoreCheck(Level.OK, sentence, "");
  }

  public static StoreCheck warn(String sentence, String remedy) {
    return new StoreCheck(Level.WARN, sentence, remedy);
  }

  public static StoreCheck fail(String sentence, String remedy) {
    return new StoreCheck(Level.FAIL, sentence, remedy);
  }
}
