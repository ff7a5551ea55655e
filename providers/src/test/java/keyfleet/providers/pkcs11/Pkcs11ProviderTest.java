package keyfleet.providers.pkcs11;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.KeyDeletion;
import keyfleet.providers.ProviderException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class Pkcs11ProviderTest {
  private static final KekVersion V1 = new KekVersion(1);
  private static final KekVersion V2 = new KekVersion(2);
  private static final byte[] AAD = {7, 7};
  private static final long CKA_VALUE = 0x11;

  @TempDir Path folder;
  @AutoClose private SoftHsm hsm;

  @BeforeEach
  void startHsm() throws IOException {
    hsm = SoftHsm.in(folder);
  }

  @Test
  void freshToken_hasNoKeys() {
    assertEquals(Set.of(), hsm.provider().load().versions());
  }

  @Test
  void deletedVersion_isGoneForOtherProvidersToo() {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(V1);
    provider.generate(V2);
    assertEquals(Set.of(V1, V2), provider.load().versions());
    KeyDeletion.Possible deletion =
        assertInstanceOf(KeyDeletion.Possible.class, provider.prepareDeletion(V1, Set.of(V2)));
    assertEquals("destroyed key keyfleet-main-v1 on token fleet", deletion.delete().get());
    assertEquals(Set.of(V2), provider.load().versions());
    assertEquals(Set.of(V2), hsm.provider().load().versions());
    assertThrows(ProviderException.class, () -> deletion.delete().get());
  }

  @Test
  void generatedVersion_wrapsAndUnwraps() {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(V1);

    assertRoundTrip(provider.load().find(V1).orElseThrow());
  }

  @Test
  void versionSeenBefore_isTheSameObject() {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(V1);
    Kek first = provider.load().find(V1).orElseThrow();
    provider.generate(V2);

    KekSet second = provider.load();

    assertEquals(Set.of(V1, V2), second.versions());
    assertSame(first, second.find(V1).orElseThrow());
  }

  @Test
  void keyMadeByAnotherProcess_appearsWithoutRestart() throws IOException {
    Pkcs11Provider provider = hsm.provider();
    assertEquals(Set.of(), provider.load().versions());

    hsm.importKey("keyfleet-main-v2");

    assertRoundTrip(provider.load().find(V2).orElseThrow());
  }

  @Test
  void labelsOfOthers_areLeftAlone() {
    Pkcs11Provider provider = hsm.provider();
    Stream.of(
            "other-v1",
            "main-v0",
            "main-v01",
            "main-v1x",
            "main-v",
            "main-v9999999999",
            "main-x-v1")
        .forEach(
            rest -> hsm.inForeignSession(session -> generate(session, key("keyfleet-" + rest))));

    assertEquals(Set.of(), provider.load().versions());
  }

  @Test
  void twoKeysUnderOneLabel_areRefusedByName() {
    hsm.inForeignSession(session -> generate(session, key("keyfleet-main-v3")));
    hsm.inForeignSession(session -> generate(session, key("keyfleet-main-v3")));

    ProviderException e = assertThrows(ProviderException.class, hsm.provider()::load);

    assertEquals(
        "token fleet has two keys labelled keyfleet-main-v3; Keyfleet cannot tell which one is"
            + " right",
        e.getMessage());
  }

  static Stream<Arguments> badKeys() {
    return Stream.of(
        Arguments.of(
            key("keyfleet-main-v1").withTrue(CryptokiAttributes.CKA_EXTRACTABLE), "extractable"),
        Arguments.of(
            key("keyfleet-main-v1").withFalse(CryptokiAttributes.CKA_SENSITIVE), "not sensitive"),
        Arguments.of(
            key("keyfleet-main-v1").withFalse(CryptokiAttributes.CKA_DECRYPT), "not encrypt and"),
        Arguments.of(
            key("keyfleet-main-v1").withFalse(CryptokiAttributes.CKA_ENCRYPT), "not encrypt and"),
        Arguments.of(
            key("keyfleet-main-v1").number(CryptokiAttributes.CKA_VALUE_LEN, 16),
            "not an AES key of 32 bytes"));
  }

  @ParameterizedTest
  @MethodSource("badKeys")
  void keyThatBreaksARule_isRefused(CryptokiTemplate template, String problem) {
    hsm.inForeignSession(session -> generate(session, template));

    ProviderException e = assertThrows(ProviderException.class, hsm.provider()::load);

    assertTrue(e.getMessage().contains("keyfleet-main-v1"), e.getMessage());
    assertTrue(e.getMessage().contains(problem), e.getMessage());
  }

  @Test
  void generatedKey_neverRevealsItsBytes() {
    hsm.provider().generate(V1);

    CryptokiException e =
        assertThrows(
            CryptokiException.class,
            () ->
                hsm.inForeignSession(
                    session -> rawValue(session, only(session, "keyfleet-main-v1"))));

    assertTrue(e.is(CryptokiResult.ATTRIBUTE_SENSITIVE), e.getMessage());
  }

  @Test
  void generatedKey_isForEncryptionOnly() {
    hsm.provider().generate(V1);

    CryptokiAttributes key =
        hsm.inForeignSession(session -> attributes(session, only(session, "keyfleet-main-v1")));

    assertTrue(key.isSet(CryptokiAttributes.CKA_PRIVATE), "private");
    assertTrue(key.isClear(CryptokiAttributes.CKA_WRAP), "wrap");
    assertTrue(key.isClear(CryptokiAttributes.CKA_UNWRAP), "unwrap");
    assertTrue(key.isClear(CryptokiAttributes.CKA_SIGN), "sign");
    assertTrue(key.isClear(CryptokiAttributes.CKA_DERIVE), "derive");
    assertEquals(16, key.bytes(CryptokiAttributes.CKA_ID).length);
  }

  @Test
  void existingLabel_isRefusedAndItsKeyKept() {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(V1);
    Kek kek = provider.load().find(V1).orElseThrow();
    byte[] wrapped = kek.wrap(dek(), AAD);

    ProviderException e = assertThrows(ProviderException.class, () -> provider.generate(V1));

    assertEquals("token fleet already has a key labelled keyfleet-main-v1", e.getMessage());
    assertTrue(e.remedy().contains("--version=2"), e.remedy());
    assertTrue(kek.unwrap(wrapped, AAD).isPresent());
  }

  @Test
  void racingInits_neverLeaveTwoKeys() throws ExecutionException, InterruptedException {
    Pkcs11Provider provider = hsm.provider();
    provider.load();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      for (int number = 1; number <= 5; number++) {
        KekVersion version = new KekVersion(number);
        Callable<Integer> race = () -> tryGenerate(provider, version);
        int made = 0;
        for (Future<Integer> one : threads.invokeAll(List.of(race, race, race, race))) {
          made += one.get();
        }
        boolean exists = provider.load().find(version).isPresent(); // throws if there are two
        assertTrue(
            made <= (exists ? 1 : 0), made + " calls reported that they generated " + version);
      }
    }
  }

  @Test
  void keyReplacedUnderItsLabel_isRefused() {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(V1);
    Kek kek = provider.load().find(V1).orElseThrow();
    byte[] wrapped = kek.wrap(dek(), AAD);
    hsm.inForeignSession(session -> destroy(session, only(session, "keyfleet-main-v1")));
    hsm.inForeignSession(session -> generate(session, key("keyfleet-main-v1")));

    ProviderException e = assertThrows(ProviderException.class, provider::load);

    assertEquals("key keyfleet-main-v1 on token fleet was replaced by another", e.getMessage());
    assertThrows(KekUnavailableException.class, () -> kek.unwrap(wrapped, AAD));
    assertThrows(KekUnavailableException.class, () -> kek.wrap(dek(), AAD));
  }

  @Test
  void keyTakenOffTheToken_isNoLongerLoaded() {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(V1);
    Kek kek = provider.load().find(V1).orElseThrow();
    hsm.inForeignSession(session -> destroy(session, only(session, "keyfleet-main-v1")));

    assertEquals(Set.of(), provider.load().versions());
    assertThrows(KekUnavailableException.class, () -> kek.wrap(dek(), AAD));
  }

  @Test
  void tokenVanishes_failsUntilItReturns() throws IOException {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(V1);
    Kek kek = provider.load().find(V1).orElseThrow();
    byte[] wrapped = kek.wrap(dek(), AAD);

    hsm.vanish();
    assertThrows(KekUnavailableException.class, () -> kek.unwrap(wrapped, AAD));
    assertThrows(ProviderException.class, provider::load);
    assertThrows(ProviderException.class, provider::load);
    assertThrows(KekUnavailableException.class, () -> kek.wrap(dek(), AAD));

    hsm.reappear();
    assertSame(kek, provider.load().find(V1).orElseThrow());
    assertTrue(kek.unwrap(wrapped, AAD).isPresent());
  }

  @Test
  void emptyTokenVanishes_isNotCalledEmpty() throws IOException {
    Pkcs11Provider provider = hsm.provider();
    provider.load();

    hsm.vanish();

    assertThrows(ProviderException.class, provider::load);
  }

  @Test
  void tokenGoneForAMoment_isFoundByTheNextLoad() throws IOException {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(V1);
    Kek kek = provider.load().find(V1).orElseThrow();
    hsm.vanish();
    assertThrows(KekUnavailableException.class, () -> kek.wrap(dek(), AAD));
    hsm.reappear();

    provider.load();

    assertRoundTrip(kek);
  }

  @Test
  void recreatedToken_isFoundInItsNewSlot() {
    Pkcs11Provider provider = hsm.provider();
    provider.load();
    long before = hsm.inForeignSession(session -> SoftHsm.slot(session.cryptoki()));
    hsm.deleteToken(SoftHsm.TOKEN);
    hsm.addToken(SoftHsm.TOKEN);

    assertEquals(Set.of(), provider.load().versions());
    long after = hsm.inForeignSession(session -> SoftHsm.slot(session.cryptoki()));
    assertNotEquals(before, after);
    assertDoesNotThrow(() -> provider.generate(V1));
  }

  @Test
  void moduleRestartedByAnotherProvider_keepsKeksUsable() {
    hsm.addToken("second");
    Pkcs11Provider first = hsm.provider();
    first.generate(V1);
    first.generate(V2);
    KekSet kekSet = first.load();
    byte[] wrapped = kekSet.find(V2).orElseThrow().wrap(dek(), AAD);
    Pkcs11Settings elsewhere = new Pkcs11Settings(SoftHsm.module(), "third", hsm.settings().pin());

    assertThrows(ProviderException.class, hsm.provider(elsewhere)::load);

    assertTrue(kekSet.find(V2).orElseThrow().unwrap(wrapped, AAD).isPresent());
    assertTrue(kekSet.find(V1).orElseThrow().unwrap(wrapped, AAD).isEmpty());
  }

  @Test
  void closedProvider_stopsItsKeksAndNoOthers() {
    Pkcs11Provider closing = hsm.provider();
    Pkcs11Provider staying = hsm.provider();
    closing.generate(V1);
    Kek stopped = closing.load().find(V1).orElseThrow();
    Kek other = staying.load().find(V1).orElseThrow();
    byte[] wrapped = stopped.wrap(dek(), AAD);

    closing.close();
    closing.close();

    assertThrows(KekUnavailableException.class, () -> stopped.wrap(dek(), AAD));
    assertThrows(KekUnavailableException.class, () -> stopped.unwrap(wrapped, AAD));
    assertThrows(KekUnavailableException.class, closing::load);
    assertTrue(other.unwrap(wrapped, AAD).isPresent());
  }

  private static int tryGenerate(Pkcs11Provider provider, KekVersion version) {
    try {
      provider.generate(version);
      return 1;
    } catch (ProviderException | KekUnavailableException e) {
      return 0; // SoftHSM itself sometimes fails in such a race: CKR_GENERAL_ERROR
    }
  }

  private static void assertRoundTrip(Kek kek) {
    try (Dek dek = dek();
        Dek back = kek.unwrap(kek.wrap(dek, AAD), AAD).orElseThrow()) {
      assertEquals(dek.bytes(), back.bytes());
    }
  }

  private static Dek dek() {
    return new Dek(SecretBytes.random(Dek.BYTES, new SecureRandom()));
  }

  private static CryptokiTemplate key(String label) {
    return new CryptokiTemplate()
        .number(CryptokiAttributes.CKA_VALUE_LEN, 32)
        .text(CryptokiAttributes.CKA_LABEL, label)
        .withTrue(CryptokiAttributes.CKA_TOKEN, CryptokiAttributes.CKA_PRIVATE)
        .withTrue(CryptokiAttributes.CKA_SENSITIVE)
        .withTrue(CryptokiAttributes.CKA_ENCRYPT, CryptokiAttributes.CKA_DECRYPT)
        .withFalse(CryptokiAttributes.CKA_EXTRACTABLE);
  }

  private static long generate(Pkcs11Session session, CryptokiTemplate template) {
    return session.cryptoki().generateKey(session.handle(), template);
  }

  private static long only(Pkcs11Session session, String label) {
    CryptokiTemplate wanted = new CryptokiTemplate().text(CryptokiAttributes.CKA_LABEL, label);
    long[] found = session.cryptoki().find(session.handle(), wanted, 2);
    assertEquals(1, found.length, label);
    return found[0];
  }

  private static long destroy(Pkcs11Session session, long object) {
    session.cryptoki().destroy(session.handle(), object);
    return object;
  }

  private static CryptokiAttributes attributes(Pkcs11Session session, long object) {
    return session
        .cryptoki()
        .attributes(
            session.handle(),
            object,
            CryptokiAttributes.CKA_PRIVATE,
            CryptokiAttributes.CKA_WRAP,
            CryptokiAttributes.CKA_UNWRAP,
            CryptokiAttributes.CKA_SIGN,
            CryptokiAttributes.CKA_DERIVE,
            CryptokiAttributes.CKA_ID);
  }

  private static long rawValue(Pkcs11Session session, long object) {
    try (Arena arena = Arena.ofConfined()) {
      long list = CryptokiAttributes.allocateList(arena, CKA_VALUE).address();
      session
          .cryptoki()
          .call(Cryptoki.Function.C_GET_ATTRIBUTE_VALUE, session.handle(), object, list, 1);
      return list;
    }
  }
}
