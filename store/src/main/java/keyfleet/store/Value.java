package keyfleet.store;

import static java.nio.charset.StandardCharsets.UTF_8;

/// What stands under a key. The limit is half of what NATS carries in a message by default, and
/// beyond that it closes the connection; so a value too long is never made.
public record Value(Bytes bytes) {
  public static final int MAX_BYTES = 512 << 10;

  public Value {
    if (bytes.length() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a value has at most " + MAX_BYTES + " bytes, not " + bytes.length());
    }
  }

  public static Value of(String text) {
    return new Value(Bytes.copyOf(text.getBytes(UTF_8)));
  }

  public String text() {
    return new String(bytes.toArray(), UTF_8);
  }
}
