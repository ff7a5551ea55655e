package keyfleet.sim.cipher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.GeneralSecurityException;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import keyfleet.store.Bytes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The fake ciphers refuse what real ciphers refuse; otherwise the swarm would miss errors that
/// only a cipher detects.
class FakeCipherProviderTest {
  private static final String PROVIDER = "KeyfleetFake";

  private final Random random = new Random(7);
  private final byte[] key = randomBytes(32);
  private final byte[] aad = randomBytes(60);
  private final byte[] text = randomBytes(21);

  @BeforeAll
  static void install() {
    FakeCipherProvider.install();
  }

  private byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] gcm(int mode, byte[] key, byte[] aad, byte[] input)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", PROVIDER);
    cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, new byte[12]));
    cipher.updateAAD(aad);
    return cipher.doFinal(input);
  }

  private static void assertRefuses(byte[] key, byte[] aad, byte[] sealed) {
    assertThrows(AEADBadTagException.class, () -> gcm(Cipher.DECRYPT_MODE, key, aad, sealed));
  }

  private static byte[] withFlippedBit(byte[] bytes, int bit) {
    byte[] changed = bytes.clone();
    changed[bit / 8] ^= (byte) (1 << bit % 8);
    return changed;
  }

  @Test
  void sealedText_opensOnlyWithItsKeyAndLocation() throws GeneralSecurityException {
    byte[] sealed = gcm(Cipher.ENCRYPT_MODE, key, aad, text);
    assertEquals(text.length + 16, sealed.length);
    assertArrayEquals(text, gcm(Cipher.DECRYPT_MODE, key, aad, sealed));
    for (int bit = 0; bit < 8 * key.length; bit++) {
      assertRefuses(withFlippedBit(key, bit), aad, sealed);
    }
    for (int bit = 0; bit < 8 * aad.length; bit++) {
      assertRefuses(key, withFlippedBit(aad, bit), sealed);
    }
    for (int bit = 0; bit < 8 * sealed.length; bit++) {
      assertRefuses(key, aad, withFlippedBit(sealed, bit));
    }
  }

  @Test
  void mac_differsForEveryKeyAndEveryMessage() throws GeneralSecurityException {
    Set<Bytes> macs = new HashSet<>();
    int count = 0;
    for (int bit = 0; bit < 8 * key.length; bit++, count++) {
      macs.add(Bytes.copyOf(mac(withFlippedBit(key, bit)).doFinal(text)));
    }
    for (int bit = 0; bit < 8 * text.length; bit++, count++) {
      macs.add(Bytes.copyOf(mac(key).doFinal(withFlippedBit(text, bit))));
    }
    assertEquals(count, macs.size());
  }

  @Test
  void copiedMac_continuesFromTheSamePoint() throws Exception {
    Mac original = mac(key);
    original.update(aad);
    Mac copy = (Mac) original.clone();
    assertArrayEquals(original.doFinal(text), copy.doFinal(text));
    assertArrayEquals(mac(key).doFinal(text), original.doFinal(text));
  }

  private static Mac mac(byte[] key) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA512", PROVIDER);
    mac.init(new SecretKeySpec(key, "HmacSHA512"));
    return mac;
  }
}
