package keyfleet.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreNamesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", ".", "a.", ".a", "a..b", "a b", "a\nb", "a\0", "a\u007f", "a*", "a.>", "é"
      })
  void badKey_isRefused(String key) {
    assertThrows(IllegalArgumentException.class, () -> new Key(key));
  }

  @Test
  void keyTooLong_isRefused() {
    assertEquals(255, new Key("k".repeat(255)).value().length());
    assertThrows(IllegalArgumentException.class, () -> new Key("k".repeat(256)));
  }

  @Test
  void refusedKey_isPrintedSafely() {
    String message =
        String.valueOf(
            assertThrows(
                    IllegalArgumentException.class, () -> new Key("\u001b[2J" + "x".repeat(9_999)))
                .getMessage());
    assertTrue(message.startsWith("not a key: '?[2Jxxx"), message);
    assertTrue(message.length() < 100, message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", ".", "a..", "a b.", ">"})
  void badPrefix_isRefused(String prefix) {
    assertThrows(IllegalArgumentException.class, () -> new Prefix(prefix));
  }

  @Test
  void prefix_coversWholeWords() {
    Prefix nodes = Prefix.under(new Key("nodes"));
    assertTrue(nodes.matches(new Key("nodes.a")));
    assertFalse(nodes.matches(new Key("nodes")));
    assertFalse(nodes.matches(new Key("nodes2.a")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "A", "1a", "-a", "a.b", "abcdefghijklmnopqrstuvwxyz_01234"})
  void badBucket_isRefused(String name) {
    assertThrows(IllegalArgumentException.class, () -> new Bucket.Lasting(name));
    Duration lifetime = Duration.ofMinutes(2);
    assertThrows(IllegalArgumentException.class, () -> new Bucket.Expiring(name, lifetime));
  }

  @Test
  void lifetimeTooShort_isRefused() {
    Duration lifetime = Duration.ofMillis(999);
    assertThrows(IllegalArgumentException.class, () -> new Bucket.Expiring("a", lifetime));
  }

  @Test
  void valueTooLong_isRefused() {
    Bytes tooLong = Bytes.copyOf(new byte[Value.MAX_BYTES + 1]);
    assertThrows(IllegalArgumentException.class, () -> new Value(tooLong));
  }

  @Test
  void bytes_cannotBeChanged() {
    byte[] source = {1, 2};
    Bytes bytes = Bytes.copyOf(source);
    source[0] = 9;
    bytes.toArray()[1] = 9;
    assertEquals(Bytes.copyOf(new byte[] {1, 2}), bytes);
    assertFalse(bytes.toString().contains("1, 2"), bytes::toString);
  }

  @Test
  void badRecordId_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> new RecordId(""));
    assertThrows(IllegalArgumentException.class, () -> new RecordId("\uD800"));
    assertThrows(IllegalArgumentException.class, () -> new RecordId("é".repeat(513)));
    assertEquals("é".repeat(512), new RecordId("é".repeat(512)).value());
  }

  @Test
  void revisionBelowOne_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Revision(0));
  }
}
