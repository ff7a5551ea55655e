package keyfleet.providers.pkcs11;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Simulates faults and habits of tokens that SoftHSM does not have.
final class Pkcs11FaultTest {
  private static final KekVersion V1 = new KekVersion(1);
  private static final byte[] AAD = {9};
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);

  @TempDir Path folder;
  @AutoClose private SoftHsm hsm;

  /// The number of next calls that fail; `code` is the result.
  private final AtomicInteger failures = new AtomicInteger();

  private final AtomicLong code = new AtomicLong(CryptokiResult.GENERAL_ERROR.code());

  @BeforeEach
  void startHsm() throws IOException {
    hsm = SoftHsm.in(folder);
  }

  @AfterEach
  void stopFailing() {
    failures.set(0);
  }

  @Test
  void faultThatLooksLikeABadTag_isNotCalledBadData() {
    Kek kek = kek(failing(Cryptoki.Function.C_DECRYPT));
    byte[] wrapped = kek.wrap(dek(), AAD);

    failures.set(Integer.MAX_VALUE);
    assertThrows(KekUnavailableException.class, () -> kek.unwrap(wrapped, AAD));

    failures.set(0);
    assertTrue(kek.unwrap(wrapped, AAD).isPresent());
    assertEquals(Optional.empty(), kek.unwrap(wrapped, new byte[0]));
  }

  @Test
  void momentaryFault_isNotCalledBadData() {
    Kek kek = kek(failing(Cryptoki.Function.C_DECRYPT));
    byte[] wrapped = kek.wrap(dek(), AAD);

    failures.set(1);

    assertTrue(kek.unwrap(wrapped, AAD).isPresent());
  }

  @Test
  void faultBehindAProbeThatOpened_isNotCalledBadData() {
    Kek kek = kek(failingAt(call -> call == 1 || call >= 3, Cryptoki.Function.C_DECRYPT));
    byte[] wrapped = kek.wrap(dek(), AAD);

    failures.set(1);

    assertThrows(KekUnavailableException.class, () -> kek.unwrap(wrapped, AAD));
  }

  @Test
  void faultBetweenProbesThatOpened_isNotCalledBadData() {
    Kek kek = kek(failingAt(call -> call == 1 || call == 3, Cryptoki.Function.C_DECRYPT_INIT));
    byte[] wrapped = kek.wrap(dek(), AAD);

    failures.set(1);

    assertThrows(KekUnavailableException.class, () -> kek.unwrap(wrapped, AAD));
  }

  @Test
  void faultRightAfterABadTag_isNotCalledBadData() {
    Kek kek = kek(failing(Cryptoki.Function.C_OPEN_SESSION));
    byte[] wrapped = kek.wrap(dek(), AAD);

    failures.set(Integer.MAX_VALUE);

    assertThrows(KekUnavailableException.class, () -> kek.unwrap(wrapped, new byte[0]));
  }

  @ParameterizedTest
  @EnumSource(names = {"ENCRYPTED_DATA_INVALID", "ENCRYPTED_DATA_LEN_RANGE", "AEAD_DECRYPT_FAILED"})
  void tokenThatNamesABadTag_isBelieved(CryptokiResult result) {
    Kek kek = kek(failing(Cryptoki.Function.C_DECRYPT));
    byte[] wrapped = kek.wrap(dek(), AAD);
    code.set(result.code());

    failures.set(1);

    assertEquals(Optional.empty(), kek.unwrap(wrapped, AAD));
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "SESSION_HANDLE_INVALID",
        "SESSION_CLOSED",
        "OBJECT_HANDLE_INVALID",
        "KEY_HANDLE_INVALID",
        "DEVICE_REMOVED",
        "DEVICE_ERROR",
        "TOKEN_NOT_PRESENT",
        "USER_NOT_LOGGED_IN"
      })
  void deadSession_isReplacedOnce(CryptokiResult result) {
    Kek kek = kek(failing(Cryptoki.Function.C_ENCRYPT_INIT, Cryptoki.Function.C_DECRYPT_INIT));
    code.set(result.code());

    failures.set(1);
    byte[] wrapped = kek.wrap(dek(), AAD);
    failures.set(1);
    assertTrue(kek.unwrap(wrapped, AAD).isPresent());

    failures.set(Integer.MAX_VALUE);
    KekUnavailableException e =
        assertThrows(KekUnavailableException.class, () -> kek.unwrap(wrapped, AAD));
    assertTrue(e.getMessage().contains("CKR_" + result), e.getMessage());
  }

  @Test
  void codeOutsideTheTable_isShownInHex() {
    Kek kek = kek(failing(Cryptoki.Function.C_ENCRYPT));
    code.set(0x8000_0123L);

    failures.set(Integer.MAX_VALUE);

    KekUnavailableException e =
        assertThrows(KekUnavailableException.class, () -> kek.wrap(dek(), AAD));
    assertTrue(e.getMessage().contains("CKR 0x80000123"), e.getMessage());
  }

  @Test
  void hangingToken_timesOut() {
    CountDownLatch stuck = new CountDownLatch(1);
    Cryptoki hanging =
        SoftHsm.withStubs(
            call -> {
              if (failures.get() > 0) {
                await(stuck);
              }
              return call.proceed();
            },
            Cryptoki.Function.C_ENCRYPT);
    Pkcs11Provider provider = hsm.provider(SoftHsm.modules(hanging, Duration.ofMillis(500)));
    provider.generate(V1);
    Kek kek = provider.load().find(V1).orElseThrow();

    failures.set(1);
    KekUnavailableException e =
        assertThrows(KekUnavailableException.class, () -> kek.wrap(dek(), AAD));
    failures.set(0);
    stuck.countDown();

    assertTrue(e.getMessage().contains("did not answer within 500 ms"), e.getMessage());
    assertTrue(kek.unwrap(kek.wrap(dek(), AAD), AAD).isPresent());
  }

  @Test
  void tokenThatChoosesTheIv_hasItCarried() {
    byte[] tokensOwn = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    Cryptoki choosing =
        SoftHsm.withStubs(
            call -> {
              long iv = parameters(call).get(JAVA_LONG, 0);
              MemorySegment.copy(tokensOwn, 0, at(iv, 12), JAVA_BYTE, 0, tokensOwn.length);
              return call.proceed();
            },
            Cryptoki.Function.C_ENCRYPT_INIT);
    Kek kek = kek(choosing);

    byte[] wrapped = kek.wrap(dek(), AAD);

    assertArrayEquals(tokensOwn, Arrays.copyOfRange(wrapped, 2, 14));
    assertTrue(kek.unwrap(wrapped, AAD).isPresent());
  }

  @ParameterizedTest
  @EnumSource(names = {"ARGUMENTS_BAD", "MECHANISM_PARAM_INVALID"})
  void tokenWithTheShortParameters_isServedAndRemembered(CryptokiResult refusal) {
    AtomicInteger refused = new AtomicInteger();
    Cryptoki strict =
        SoftHsm.withStubs(
            call -> {
              if (parameters(call).byteSize() != 5 * Long.BYTES) {
                refused.incrementAndGet();
                return refusal.code();
              }
              return proceedWithIvBits(call);
            },
            Cryptoki.Function.C_ENCRYPT_INIT,
            Cryptoki.Function.C_DECRYPT_INIT);
    Kek kek = kek(strict);

    assertTrue(kek.unwrap(kek.wrap(dek(), AAD), AAD).isPresent());
    assertEquals(Optional.empty(), kek.unwrap(kek.wrap(dek(), AAD), new byte[0]));

    assertEquals(1, refused.get());
  }

  /// An old handle can name another key in the next generation of the module.
  @Test
  void moduleRestartedByAnotherProvider_hasKeysLookedUpAgain() {
    Cryptoki.Function search = Cryptoki.Function.C_FIND_OBJECTS_INIT;
    Cryptoki.Function use = Cryptoki.Function.C_ENCRYPT_INIT;
    List<Cryptoki.Function> seen = new CopyOnWriteArrayList<>();
    Cryptoki watched =
        SoftHsm.withStubs(
            call -> {
              seen.add(call.function());
              return call.proceed();
            },
            search,
            use);
    Pkcs11ModuleRegistry modules = SoftHsm.modules(watched, CALL_TIMEOUT);
    Pkcs11Settings elsewhere =
        new Pkcs11Settings(SoftHsm.module(), "elsewhere", hsm.settings().pin());
    Pkcs11Provider provider = hsm.provider(modules);
    provider.generate(V1);
    Kek kek = provider.load().find(V1).orElseThrow();
    assertThrows(ProviderException.class, hsm.provider(elsewhere, modules)::load);
    seen.clear();

    kek.wrap(dek(), AAD);
    kek.wrap(dek(), AAD);

    assertEquals(List.of(search, use, use), seen);
  }

  @Test
  void keyGeneratedAtTheSameTime_makesTheLoserDestroyItsOwn() {
    Cryptoki racing =
        SoftHsm.withStubs(
            call -> {
              long ours = call.proceed();
              at(idOf(call), 1).set(JAVA_BYTE, 0, (byte) ~at(idOf(call), 1).get(JAVA_BYTE, 0));
              call.proceed(); // the other process's key
              return ours;
            },
            Cryptoki.Function.C_GENERATE_KEY);
    Pkcs11Provider provider = hsm.provider(SoftHsm.modules(racing, CALL_TIMEOUT));

    ProviderException e = assertThrows(ProviderException.class, () -> provider.generate(V1));

    assertEquals(
        "another process generated a key labelled keyfleet-main-v1 on token fleet", e.getMessage());
    assertEquals(Set.of(V1), provider.load().versions());
  }

  @Test
  void tokenLostAfterGenerating_isReported() {
    Cryptoki failing =
        SoftHsm.withStubs(
            call -> failures.get() > 0 ? code.get() : call.proceed(),
            Cryptoki.Function.C_INITIALIZE);
    Pkcs11Provider provider = hsm.provider(SoftHsm.modules(failing, CALL_TIMEOUT));
    provider.load();

    failures.set(1);
    ProviderException e = assertThrows(ProviderException.class, () -> provider.generate(V1));
    failures.set(0);

    assertTrue(
        e.getMessage().startsWith("key keyfleet-main-v1 was generated, but"), e.getMessage());
    assertEquals(Set.of(V1), provider.load().versions());
  }

  private Cryptoki failing(Cryptoki.Function... functions) {
    return SoftHsm.withStubs(
        call ->
            failures.getAndUpdate(n -> n == Integer.MAX_VALUE ? n : Math.max(0, n - 1)) > 0
                ? code.get()
                : call.proceed(),
        functions);
  }

  /// Counts calls from the moment that `failures` is set.
  private Cryptoki failingAt(IntPredicate fails, Cryptoki.Function function) {
    AtomicInteger calls = new AtomicInteger();
    return SoftHsm.withStubs(
        call ->
            failures.get() > 0 && fails.test(calls.incrementAndGet()) ? code.get() : call.proceed(),
        function);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// The CK_GCM_PARAMS of the CK_MECHANISM that C_EncryptInit and C_DecryptInit take.
  private static MemorySegment parameters(SoftHsm.Call call) {
    MemorySegment mechanism = at(call.argument(1), 24);
    return at(mechanism.get(JAVA_LONG, 8), mechanism.get(JAVA_LONG, 16));
  }

  /// The address of the CKA_ID in the template of C_GenerateKey.
  private static long idOf(SoftHsm.Call call) {
    MemorySegment template = at(call.argument(2), call.argument(3) * 24);
    long at = 0;
    while (template.get(JAVA_LONG, at) != CryptokiAttributes.CKA_ID) {
      at += 24;
    }
    return template.get(JAVA_LONG, at + 8);
  }

  /// SoftHSM supports only the long form.
  private static long proceedWithIvBits(SoftHsm.Call call) {
    long[] s = parameters(call).toArray(JAVA_LONG);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment full = arena.allocateFrom(JAVA_LONG, s[0], s[1], 8 * s[1], s[2], s[3], s[4]);
      long gcm = Cryptoki.CKM_AES_GCM;
      call.replace(1, arena.allocateFrom(JAVA_LONG, gcm, full.address(), 48).address());
      return call.proceed();
    }
  }

  // restricted: memory that the caller of a stub passed
  @SuppressWarnings("restricted")
  private static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  private Kek kek(Cryptoki cryptoki) {
    Pkcs11Provider provider = hsm.provider(SoftHsm.modules(cryptoki, CALL_TIMEOUT));
    provider.generate(V1);
    return provider.load().find(V1).orElseThrow();
  }

  private static Dek dek() {
    return new Dek(SecretBytes.random(Dek.BYTES, new SecureRandom()));
  }
}
