package keyfleet.providers.pkcs11;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class Pkcs11KekTest {
  private static final int WRAPPED_BYTES = 2 + 12 + 32 + 16;
  private static final long CKA_VALUE = 0x11;
  private static final byte[] AAD = {1, 2, 3};

  @TempDir Path folder;
  @AutoClose private SoftHsm hsm;
  private byte[] keyBytes;
  private Kek kek;

  /// The token's key has bytes that the test knows, so that the JDK can check the token.
  @BeforeEach
  void importKey() throws IOException {
    hsm = SoftHsm.in(folder);
    keyBytes = new byte[32];
    new SecureRandom().nextBytes(keyBytes);
    hsm.createKey(
        new CryptokiTemplate()
            .number(CryptokiAttributes.CKA_CLASS, CryptokiAttributes.CKO_SECRET_KEY)
            .number(CryptokiAttributes.CKA_KEY_TYPE, CryptokiAttributes.CKK_AES)
            .text(CryptokiAttributes.CKA_LABEL, "keyfleet-main-v1")
            .withTrue(CryptokiAttributes.CKA_TOKEN, CryptokiAttributes.CKA_SENSITIVE)
            .withTrue(CryptokiAttributes.CKA_ENCRYPT, CryptokiAttributes.CKA_DECRYPT)
            .withFalse(CryptokiAttributes.CKA_EXTRACTABLE)
            .bytes(CKA_VALUE, keyBytes));
    kek = hsm.provider().load().find(new KekVersion(1)).orElseThrow();
  }

  @Test
  void dekSealedByTheJdk_opensOnTheToken() throws GeneralSecurityException {
    for (int ivLength = 12; ivLength <= 16; ivLength++) {
      byte[] iv = new byte[ivLength];
      Arrays.fill(iv, (byte) 0x5A);
      try (Dek dek = dek()) {
        byte[] body = jdk(Cipher.ENCRYPT_MODE, iv, dek.bytes().reveal(SecretAccess.granted()));
        byte[] wrapped =
            ByteBuffer.allocate(2 + ivLength + body.length)
                .put((byte) 1)
                .put((byte) ivLength)
                .put(iv)
                .put(body)
                .array();

        assertEquals(dek.bytes(), kek.unwrap(wrapped, AAD).orElseThrow().bytes());
      }
    }
  }

  @Test
  void dekSealedOnTheToken_opensWithTheJdk() throws GeneralSecurityException {
    try (Dek dek = dek()) {
      byte[] wrapped = kek.wrap(dek, AAD);

      assertEquals(WRAPPED_BYTES, wrapped.length);
      assertEquals(1, wrapped[0], "format");
      assertEquals(12, wrapped[1], "length of the IV");
      byte[] iv = Arrays.copyOfRange(wrapped, 2, 14);
      byte[] body = Arrays.copyOfRange(wrapped, 14, wrapped.length);
      assertEquals(dek.bytes(), SecretBytes.copyOf(jdk(Cipher.DECRYPT_MODE, iv, body)));
    }
  }

  @Test
  void sameDekWrappedTwice_hasTwoIvs() {
    try (Dek dek = dek()) {
      assertFalse(Arrays.equals(kek.wrap(dek, AAD), kek.wrap(dek, AAD)));
    }
  }

  @Test
  void otherAad_opensNothing() {
    byte[] wrapped = kek.wrap(dek(), AAD);

    assertEquals(Optional.empty(), kek.unwrap(wrapped, new byte[] {1, 2, 4}));
    assertEquals(Optional.empty(), kek.unwrap(wrapped, new byte[0]));
  }

  @Test
  void emptyAad_roundTrips() {
    byte[] wrapped = kek.wrap(dek(), new byte[0]);

    assertTrue(kek.unwrap(wrapped, new byte[0]).isPresent());
  }

  @Test
  void anyByteChanged_opensNothing() {
    byte[] wrapped = kek.wrap(dek(), AAD);
    for (int i = 0; i < wrapped.length; i++) {
      byte[] changed = wrapped.clone();
      changed[i] ^= (byte) 0x80;

      assertEquals(Optional.empty(), kek.unwrap(changed, AAD), "byte " + i);
    }
  }

  @Test
  void anyOtherLength_opensNothing() {
    byte[] wrapped = kek.wrap(dek(), AAD);
    for (int length = 0; length <= 2 * wrapped.length; length++) {
      if (length != wrapped.length) {
        byte[] changed = Arrays.copyOf(wrapped, length);
        assertEquals(Optional.empty(), kek.unwrap(changed, AAD), "length " + length);
      }
    }
  }

  @Test
  void dekOfAnotherVersion_doesNotOpen() {
    Pkcs11Provider provider = hsm.provider();
    provider.generate(new KekVersion(2));
    Kek other = provider.load().find(new KekVersion(2)).orElseThrow();

    assertEquals(Optional.empty(), kek.unwrap(other.wrap(dek(), AAD), AAD));
  }

  @Test
  void manyVirtualThreads_allRoundTrip() throws ExecutionException, InterruptedException {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> answers = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        byte[] aad = {(byte) i};
        answers.add(threads.submit(() -> canRoundTrip(aad)));
      }
      for (Future<Boolean> answer : answers) {
        assertTrue(answer.get());
      }
    }
  }

  private boolean canRoundTrip(byte[] aad) {
    for (int i = 0; i < 10; i++) {
      try (Dek dek = dek();
          Dek back = kek.unwrap(kek.wrap(dek, aad), aad).orElseThrow()) {
        if (!dek.bytes().equals(back.bytes())) {
          return false;
        }
      }
    }
    return true;
  }

  private byte[] jdk(int mode, byte[] iv, byte[] input) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
    cipher.init(mode, new SecretKeySpec(keyBytes, "AES"), new GCMParameterSpec(128, iv));
    cipher.updateAAD(AAD);
    return cipher.doFinal(input);
  }

  private static Dek dek() {
    return new Dek(SecretBytes.random(Dek.BYTES, new SecureRandom()));
  }
}
