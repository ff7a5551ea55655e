package keyfleet.store;

/// A branch of a bucket: every key, or those below a key. It ends at a dot because NATS can filter
/// by whole words only.
public record Prefix(String value) {
  public static final Prefix ALL = new Prefix("");

  public Prefix {
    if (!value.isEmpty()
        && !(value.endsWith(".") && Key.isValid(value.substring(0, value.length() - 1)))) {
      throw new IllegalArgumentException("a prefix is empty or a key and a dot, not " + value);
    }
  }

  public static Prefix under(Key key) {
    return new Prefix(key.value() + ".");
  }

  public boolean covers(Key key) {
    return key.value().startsWith(value);
  }
}
