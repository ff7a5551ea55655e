package keyfleet.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/// Seals short values under a key that seals many.
class RandomNonceAeadTest {
  private static final byte[] AAD = "for this".getBytes(UTF_8);
  private static final byte[] PREFIX = {1, 2, 3};
  private static final byte[] PLAIN = "a seed of thirty-two bytes, or so".getBytes(UTF_8);

  private final SecureRandom random = new SecureRandom();
  private final byte[] bytes = new byte[Dek.BYTES];
  private final Dek key = new Dek(SecretBytes.copyOf(fill()));

  private byte[] fill() {
    Arrays.fill(bytes, (byte) 7);
    return bytes;
  }

  private byte[] seal() {
    return RandomNonceAead.seal(key, AAD, PREFIX, PLAIN, random);
  }

  @Test
  void sealedValue_opensAgain() {
    byte[] sealed = seal();
    assertEquals(PREFIX.length + RandomNonceAead.OVERHEAD_BYTES + PLAIN.length, sealed.length);
    assertArrayEquals(PREFIX, Arrays.copyOf(sealed, PREFIX.length));
    assertArrayEquals(PLAIN, RandomNonceAead.open(key, AAD, sealed, PREFIX.length).orElseThrow());
  }

  /// The JDK's own cipher reads it, from the documented layout alone.
  @Test
  void sealedValue_isNonceThenCiphertextThenTag() throws Exception {
    byte[] message = Arrays.copyOfRange(seal(), PREFIX.length, seal().length);
    Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding");
    gcm.init(
        Cipher.DECRYPT_MODE,
        new SecretKeySpec(bytes, "AES"),
        new GCMParameterSpec(128, message, 0, 12));
    gcm.updateAAD(AAD);
    assertArrayEquals(PLAIN, gcm.doFinal(message, 12, message.length - 12));
  }

  @Test
  void everyFlippedBit_isRefused() {
    byte[] sealed = seal();
    for (int bit = PREFIX.length * 8; bit < sealed.length * 8; bit++) {
      byte[] changed = sealed.clone();
      changed[bit / 8] ^= (byte) (1 << (bit % 8));
      assertEquals(Optional.empty(), RandomNonceAead.open(key, AAD, changed, PREFIX.length));
    }
  }

  @Test
  void otherKeyAadOrLength_isRefused() {
    byte[] sealed = seal();
    Dek other = Dek.random(random);
    assertTrue(RandomNonceAead.open(other, AAD, sealed, PREFIX.length).isEmpty());
    assertTrue(RandomNonceAead.open(key, PREFIX, sealed, PREFIX.length).isEmpty());
    for (int length = 0; length < sealed.length; length++) {
      assertTrue(RandomNonceAead.open(key, AAD, Arrays.copyOf(sealed, length), 0).isEmpty());
    }
  }

  @Test
  void sameValueTwice_isNeverSealedAlike() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      assertTrue(seen.add(Arrays.toString(seal())));
    }
  }

  @Test
  void closedKey_sealsNothing() {
    key.close();
    assertThrows(IllegalStateException.class, this::seal);
  }
}
