package keyfleet.providers.pkcs11;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// The attributes of one object that the token revealed. A missing attribute reads as empty, zero
/// or not set, so that a check fails rather than passes.
final class CryptokiAttributes {
  static final long CKA_CLASS = 0x0;
  static final long CKA_TOKEN = 0x1;
  static final long CKA_PRIVATE = 0x2;
  static final long CKA_LABEL = 0x3;
  static final long CKA_KEY_TYPE = 0x100;
  static final long CKA_ID = 0x102;
  static final long CKA_SENSITIVE = 0x103;
  static final long CKA_ENCRYPT = 0x104;
  static final long CKA_DECRYPT = 0x105;
  static final long CKA_WRAP = 0x106;
  static final long CKA_UNWRAP = 0x107;
  static final long CKA_SIGN = 0x108;
  static final long CKA_VERIFY = 0x10A;
  static final long CKA_DERIVE = 0x10C;
  static final long CKA_VALUE_LEN = 0x161;
  static final long CKA_EXTRACTABLE = 0x162;
  static final long CKO_SECRET_KEY = 4;
  static final long CKK_AES = 0x1F;

  /// Longer labels and ids are not from this product and stay unread.
  private static final int MAX_VALUE_BYTES = 256;

  private static final byte[] EMPTY = {};

  private final Map<Long, byte[]> values;

  private CryptokiAttributes(Map<Long, byte[]> values) {
    this.values = values;
  }

  /// Allocates a CK_ATTRIBUTE list for the token to fill.
  static MemorySegment allocateList(Arena arena, long... types) {
    CryptokiTemplate template = new CryptokiTemplate();
    for (long type : types) {
      template.bytes(type, new byte[MAX_VALUE_BYTES]);
    }
    return template.write(arena);
  }

  /// Whether the token filled in only some of the attributes.
  static boolean isPartial(CryptokiException e) {
    return e.is(CryptokiResult.ATTRIBUTE_SENSITIVE)
        || e.is(CryptokiResult.ATTRIBUTE_TYPE_INVALID)
        || e.is(CryptokiResult.BUFFER_TOO_SMALL);
  }

  // restricted: the values are in the memory of allocateList(), with the size checked here
  @SuppressWarnings("restricted")
  static CryptokiAttributes read(MemorySegment list) {
    Map<Long, byte[]> values = new HashMap<>();
    for (long at = 0; at < list.byteSize(); at += CryptokiTemplate.ATTRIBUTE_BYTES) {
      long length = list.get(JAVA_LONG, at + 16);
      if (length >= 0 && length <= MAX_VALUE_BYTES) {
        MemorySegment value = MemorySegment.ofAddress(list.get(JAVA_LONG, at + 8));
        values.put(list.get(JAVA_LONG, at), value.reinterpret(length).toArray(JAVA_BYTE));
      }
    }
    return new CryptokiAttributes(values);
  }

  boolean isSet(long type) {
    return Arrays.equals(bytes(type), new byte[] {1});
  }

  /// True only if the token reported false; a missing attribute does not count.
  boolean isClear(long type) {
    return Arrays.equals(bytes(type), new byte[] {0});
  }

  long number(long type) {
    byte[] value = bytes(type);
    return value.length == Long.BYTES
        ? MemorySegment.ofArray(value).get(JAVA_LONG.withByteAlignment(1), 0)
        : 0;
  }

  String text(long type) {
    return new String(bytes(type), StandardCharsets.UTF_8);
  }

  byte[] bytes(long type) {
    return values.getOrDefault(type, EMPTY);
  }
}
