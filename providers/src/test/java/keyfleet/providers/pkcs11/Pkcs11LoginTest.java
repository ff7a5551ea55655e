package keyfleet.providers.pkcs11;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What can be wrong with module, token and PIN, and the messages for it.
final class Pkcs11LoginTest {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);
  private static final String WRONG = "666666";

  @TempDir Path folder;
  @AutoClose private SoftHsm hsm;

  @BeforeEach
  void startHsm() throws IOException {
    hsm = SoftHsm.in(folder);
  }

  @Test
  void wrongPin_isRefusedWithAWarning() throws IOException {
    hsm.pinFile(WRONG);

    ProviderException e = refusal(hsm.provider());

    assertEquals(
        "token fleet refused the PIN; some tokens lock after three wrong ones", e.getMessage());
    assertFalse(e.toString().contains(WRONG) || e.remedy().contains(WRONG), e.toString());
  }

  @Test
  void wrongPin_isTriedOnce() throws IOException {
    AtomicInteger logins = new AtomicInteger();
    Cryptoki counting =
        SoftHsm.withStubs(
            call -> {
              logins.incrementAndGet();
              return call.proceed();
            },
            Cryptoki.Function.C_LOGIN);
    hsm.pinFile(WRONG);
    Pkcs11Provider provider = hsm.provider(SoftHsm.modules(counting, CALL_TIMEOUT));

    refusal(provider);
    refusal(provider);
    assertEquals(1, logins.get());

    hsm.pinFile(new String(SoftHsm.pin(), StandardCharsets.US_ASCII) + "\n");
    assertEquals(Set.of(), provider.load().versions());
    assertEquals(Set.of(), provider.load().versions());
    assertEquals(2, logins.get());
  }

  @Test
  void wrongPinWhileLoggedIn_isRefusedToo() throws IOException {
    Pkcs11Provider first = hsm.provider();
    first.load();
    hsm.pinFile(WRONG);

    ProviderException e = refusal(hsm.provider());

    assertEquals(
        "the PIN is not the one with which this process is logged in to token fleet",
        e.getMessage());
    assertEquals(Set.of(), first.load().versions());
  }

  @Test
  void rightPinWhileLoggedIn_isAccepted() {
    hsm.provider().load();

    assertEquals(Set.of(), hsm.provider().load().versions());
  }

  @Test
  void loginEndedByOtherCode_isRenewed() {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(new KekVersion(1));
    Kek kek = provider.load().find(new KekVersion(1)).orElseThrow();
    Dek dek = new Dek(SecretBytes.copyOf(new byte[Dek.BYTES]));

    hsm.logout();
    assertTrue(kek.unwrap(kek.wrap(dek, new byte[0]), new byte[0]).isPresent());

    hsm.logout();
    assertEquals(Set.of(new KekVersion(1)), provider.load().versions());
  }

  @Test
  void blankTokenLabel_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> at(SoftHsm.module(), " "));
  }

  @Test
  void loginByOtherCode_isNotTakenForOurs() {
    hsm.inForeignSession(
        session -> assertThrows(ProviderException.class, () -> hsm.provider().load()));
  }

  @ParameterizedTest
  @CsvSource({
    "0xA4, token fleet is locked after too many wrong PINs",
    "0x102, token fleet has no user PIN yet"
  })
  void tokenThatRefusesLogin_reportsTheReason(String code, String message) {
    long answer = Long.decode(code);
    Cryptoki refusing = SoftHsm.withStubs(_ -> answer, Cryptoki.Function.C_LOGIN);

    ProviderException e = refusal(hsm.provider(SoftHsm.modules(refusing, CALL_TIMEOUT)));

    assertEquals(message, e.getMessage());
  }

  @Test
  void pinFromAPipe_isReadToItsEndAndOnce() {
    int pipe = SoftHsm.pipe(SoftHsm.pin());
    Pkcs11Settings settings =
        new Pkcs11Settings(SoftHsm.module(), SoftHsm.TOKEN, new Pkcs11Settings.PinDescriptor(pipe));
    assertEquals(Set.of(), hsm.provider(settings).load().versions());

    ProviderException e = refusal(hsm.provider(settings));

    assertTrue(e.getMessage().contains("a pipe that was already read"), e.getMessage());
  }

  @Test
  void closedDescriptor_isNamed() {
    Pkcs11Settings settings =
        new Pkcs11Settings(
            SoftHsm.module(), SoftHsm.TOKEN, new Pkcs11Settings.PinDescriptor(999_999));

    ProviderException e = refusal(hsm.provider(settings));

    assertTrue(e.getMessage().contains("999999"), e.getMessage());
  }

  @Test
  void badPinFile_isNamed() throws IOException {
    hsm.pinFile("\n");
    assertEquals(
        hsm.pinFile() + " is empty; it must hold the token's user PIN",
        refusal(hsm.provider()).getMessage());

    Files.setPosixFilePermissions(hsm.pinFile(), PosixFilePermissions.fromString("rw-r--r--"));
    assertTrue(refusal(hsm.provider()).getMessage().contains("mode rw-r--r--"));

    Files.delete(hsm.pinFile());
    assertEquals(hsm.pinFile() + " does not exist", refusal(hsm.provider()).getMessage());
  }

  @Test
  void unknownToken_listsThePresentOnes() {
    hsm.addToken("second");

    ProviderException e = refusal(hsm.provider(at(SoftHsm.module(), "third")));

    assertTrue(e.getMessage().contains("is labelled third; it has: "), e.getMessage());
    assertTrue(e.getMessage().contains("fleet"), e.getMessage());
    assertTrue(e.getMessage().contains("second"), e.getMessage());
  }

  @Test
  void tokenMadeAfterTheModuleStarted_isFound() {
    Pkcs11Provider late = hsm.provider(at(SoftHsm.module(), "late"));
    hsm.provider().load();
    refusal(late);

    hsm.addToken("late");

    assertEquals(Set.of(), late.load().versions());
  }

  @Test
  void twoTokensOfOneLabel_areRefused() {
    hsm.addToken(SoftHsm.TOKEN);

    assertTrue(refusal(hsm.provider()).getMessage().endsWith("are labelled fleet"));
  }

  @Test
  void missingModule_isNamed() {
    Path module = folder.resolve("none.so");

    assertEquals(
        "the PKCS#11 module " + module + " does not exist",
        refusal(hsm.provider(at(module, SoftHsm.TOKEN))).getMessage());
  }

  @Test
  void moduleThatIsNotALibrary_isNamed() throws IOException {
    Path module = Files.writeString(folder.resolve("text.so"), "text");

    assertEquals(
        "the PKCS#11 module " + module + " cannot be loaded: it is not a library for this system",
        refusal(hsm.provider(at(module, SoftHsm.TOKEN))).getMessage());
  }

  @Test
  void libraryThatIsNotAModule_isNamed() {
    Path module = Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("zip"));

    assertEquals(
        "the PKCS#11 module " + module + " cannot be loaded: it has no C_GetFunctionList",
        refusal(hsm.provider(at(module, SoftHsm.TOKEN))).getMessage());
  }

  @Test
  void moduleThatDoesNotStart_reportsTheCode() throws IOException {
    hsm.vanish();

    ProviderException e = refusal(hsm.provider());

    assertTrue(e.getMessage().endsWith("C_Initialize answered CKR_GENERAL_ERROR"), e.getMessage());
  }

  @Test
  void tokenWithoutGcm_isRefused() throws IOException {
    hsm.configure("slots.mechanisms = CKM_AES_KEY_GEN,CKM_AES_CBC");

    assertEquals(
        "token fleet does not support AES-GCM (CKM_AES_GCM)", refusal(hsm.provider()).getMessage());
  }

  private Pkcs11Settings at(Path module, String token) {
    return new Pkcs11Settings(module, token, hsm.settings().pin());
  }

  private static ProviderException refusal(Pkcs11Provider provider) {
    ProviderException e = assertThrows(ProviderException.class, provider::load);
    assertFalse(e.remedy().isEmpty());
    return e;
  }
}
