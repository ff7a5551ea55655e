package keyfleet.providers.pkcs11;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// A list of CK_ATTRIBUTEs that describes an object to find or to create. It holds no secret.
final class CryptokiTemplate {
  /// CK_ATTRIBUTE: type, pValue, ulValueLen, eight bytes each.
  static final long ATTRIBUTE_BYTES = 24;

  private final Map<Long, byte[]> values = new LinkedHashMap<>();

  CryptokiTemplate withTrue(long... types) {
    return flags((byte) 1, types);
  }

  CryptokiTemplate withFalse(long... types) {
    return flags((byte) 0, types);
  }

  private CryptokiTemplate flags(byte value, long... types) {
    for (long type : types) {
      bytes(type, new byte[] {value});
    }
    return this;
  }

  CryptokiTemplate number(long type, long value) {
    byte[] bytes = new byte[Long.BYTES];
    MemorySegment.ofArray(bytes).set(JAVA_LONG.withByteAlignment(1), 0, value);
    return bytes(type, bytes);
  }

  CryptokiTemplate text(long type, String value) {
    return bytes(type, value.getBytes(StandardCharsets.UTF_8));
  }

  CryptokiTemplate bytes(long type, byte[] value) {
    values.put(type, value.clone());
    return this;
  }

  int size() {
    return values.size();
  }

  /// Writes the list and its values into native memory.
  MemorySegment write(Arena arena) {
    MemorySegment list = arena.allocate(ATTRIBUTE_BYTES * values.size(), Long.BYTES);
    long at = 0;
    for (Map.Entry<Long, byte[]> attribute : values.entrySet()) {
      byte[] value = attribute.getValue();
      list.set(JAVA_LONG, at, attribute.getKey());
      list.set(JAVA_LONG, at + 8, arena.allocateFrom(JAVA_BYTE, value).address());
      list.set(JAVA_LONG, at + 16, value.length);
      at += ATTRIBUTE_BYTES;
    }
    return list;
  }
}
