package keyfleet.providers.pkcs11;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// AES-GCM on a token, with a 16-byte tag after the ciphertext.
///
/// CK_GCM_PARAMS has two layouts: the C header of the standard has a field `ulIvBits` that its text
/// leaves out, and modules follow one or the other. The layout that a module accepts is remembered.
final class CryptokiGcm {
  static final int TAG_BYTES = 16;

  /// 12 bytes are requested; a token that chooses its own IV may use a few more.
  static final int MIN_IV_BYTES = 12;

  static final int MAX_IV_BYTES = 16;

  private enum Layout {
    WITH_IV_BITS,
    WITHOUT_IV_BITS
  }

  private interface LayoutCall {
    byte[] run(Layout layout);
  }

  private static final long IV_LENGTH_OFFSET = 8;

  private volatile @Nullable Layout knownLayout;

  /// The IV, ciphertext and tag, one after the other. The IV is read back after the call, because
  /// some tokens (AWS CloudHSM) replace it with their own.
  byte[] encrypt(Pkcs11Session session, long key, byte[] iv, byte[] aad, byte[] plaintext) {
    return runInEitherLayout(layout -> encrypt(layout, session, key, iv, aad, plaintext));
  }

  byte[] decrypt(Pkcs11Session session, long key, byte[] iv, byte[] aad, byte[] sealed) {
    return runInEitherLayout(layout -> decrypt(layout, session, key, iv, aad, sealed));
  }

  private byte[] runInEitherLayout(LayoutCall call) {
    Layout layoutInUse = knownLayout;
    if (layoutInUse != null) {
      return call.run(layoutInUse);
    }
    try {
      return tryLayout(Layout.WITH_IV_BITS, call);
    } catch (CryptokiException e) {
      if (e.is(CryptokiResult.ARGUMENTS_BAD) || e.is(CryptokiResult.MECHANISM_PARAM_INVALID)) {
        return tryLayout(Layout.WITHOUT_IV_BITS, call);
      }
      throw e;
    }
  }

  private byte[] tryLayout(Layout layout, LayoutCall call) {
    byte[] answer = call.run(layout);
    knownLayout = layout;
    return answer;
  }

  private static byte[] encrypt(
      Layout layout, Pkcs11Session session, long key, byte[] iv, byte[] aad, byte[] plaintext) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ivBuffer = arena.allocate(MAX_IV_BYTES);
      MemorySegment parameters = parameters(layout, arena, ivBuffer, iv, aad);
      long mechanism = mechanism(arena, parameters).address();
      session.call(Cryptoki.Function.C_ENCRYPT_INIT, mechanism, key);
      byte[] sealed = run(Cryptoki.Function.C_ENCRYPT, session, arena, plaintext, TAG_BYTES);
      return join(usedIv(parameters, ivBuffer), sealed);
    }
  }

  private static byte[] decrypt(
      Layout layout, Pkcs11Session session, long key, byte[] iv, byte[] aad, byte[] sealed) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ivBuffer = arena.allocate(MAX_IV_BYTES);
      MemorySegment parameters = parameters(layout, arena, ivBuffer, iv, aad);
      long mechanism = mechanism(arena, parameters).address();
      session.call(Cryptoki.Function.C_DECRYPT_INIT, mechanism, key);
      return run(Cryptoki.Function.C_DECRYPT, session, arena, sealed, 0);
    }
  }

  /// pIv, ulIvLen, (ulIvBits,) pAAD, ulAADLen, ulTagBits.
  private static MemorySegment parameters(
      Layout layout, Arena arena, MemorySegment ivBuffer, byte[] iv, byte[] aad) {
    MemorySegment.copy(iv, 0, ivBuffer, JAVA_BYTE, 0, iv.length);
    long aadAddress = arena.allocateFrom(JAVA_BYTE, aad).address();
    long tagBits = Byte.SIZE * TAG_BYTES;
    long ivBits = (long) Byte.SIZE * iv.length;
    return switch (layout) {
      case WITH_IV_BITS ->
          arena.allocateFrom(
              JAVA_LONG, ivBuffer.address(), iv.length, ivBits, aadAddress, aad.length, tagBits);
      case WITHOUT_IV_BITS ->
          arena.allocateFrom(
              JAVA_LONG, ivBuffer.address(), iv.length, aadAddress, aad.length, tagBits);
    };
  }

  private static MemorySegment mechanism(Arena arena, MemorySegment parameters) {
    return arena.allocateFrom(
        JAVA_LONG, Cryptoki.CKM_AES_GCM, parameters.address(), parameters.byteSize());
  }

  private static byte[] usedIv(MemorySegment parameters, MemorySegment ivBuffer) {
    long length = parameters.get(JAVA_LONG, IV_LENGTH_OFFSET);
    if (length < MIN_IV_BYTES || length > MAX_IV_BYTES) {
      throw new IllegalStateException("the token used an IV of " + length + " bytes");
    }
    return ivBuffer.asSlice(0, length).toArray(JAVA_BYTE);
  }

  /// Either buffer may hold a DEK, so both are wiped.
  private static byte[] run(
      Cryptoki.Function function,
      Pkcs11Session session,
      Arena arena,
      byte[] input,
      int extraBytes) {
    int capacity = input.length + extraBytes;
    MemorySegment in = arena.allocateFrom(JAVA_BYTE, input);
    MemorySegment out = arena.allocate(capacity);
    MemorySegment length = arena.allocateFrom(JAVA_LONG, (long) capacity);
    try {
      session.call(function, in.address(), input.length, out.address(), length.address());
      return out.asSlice(0, length.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
    } finally {
      in.fill((byte) 0);
      out.fill((byte) 0);
    }
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
