package keyfleet.store;

/// Selects all keys of a bucket, or those below one key. It ends in a dot because NATS can filter
/// by whole words only.
public record Prefix(String value) {
  public static final Prefix ALL = new Prefix("");

  public Prefix {
    if (!value.isEmpty()
        && !(value.endsWith(".") && Key.isValid(value.substring(0, value.length() - 1)))) {
      throw new IllegalArgumentException(
          "a prefix is empty, or a key followed by a dot, not " + value);
    }
  }

  public static Prefix under(Key key) {
    return new Prefix(key.value() + ".");
  }

  public boolean matches(Key key) {
    return key.value().startsWith(value);
  }
}
