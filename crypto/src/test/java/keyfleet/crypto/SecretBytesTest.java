package keyfleet.crypto;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SecretBytesTest {
  private static final SecretAccess ACCESS = SecretAccess.granted();

  @Test
  void printed_showsItsLengthAlone() {
    assertEquals("SecretBytes[3 bytes]", SecretBytes.copyOf(new byte[] {1, 2, 3}).toString());
  }

  @Test
  void sourceAndRevealedCopies_areNotTheSecretItself() {
    byte[] source = {1, 2, 3};
    SecretBytes secret = SecretBytes.copyOf(source);
    source[0] = 9;
    secret.reveal(ACCESS)[1] = 9;
    assertArrayEquals(new byte[] {1, 2, 3}, secret.reveal(ACCESS));
  }

  @Test
  void closed_isNeverReadAsZeros() {
    SecretBytes secret = SecretBytes.copyOf(new byte[] {1, 2, 3});
    secret.close();
    assertThrows(IllegalStateException.class, () -> secret.reveal(ACCESS));
    assertNotEquals(SecretBytes.copyOf(new byte[3]), secret);
  }

  @Test
  void equality_isByContent() {
    assertEquals(SecretBytes.copyOf(new byte[] {1, 2}), SecretBytes.copyOf(new byte[] {1, 2}));
    assertNotEquals(SecretBytes.copyOf(new byte[] {1, 2}), SecretBytes.copyOf(new byte[] {1, 3}));
  }

  @Test
  void keyOfTheWrongLength_isRejected() {
    SecretBytes shortKey = SecretBytes.copyOf(new byte[16]);
    assertThrows(
        IllegalArgumentException.class,
        () -> new SoftwareKek(new KekVersion(1), shortKey, CryptoFixtures.seeded(1)));
    assertThrows(IllegalArgumentException.class, () -> new Dek(shortKey));
  }

  @Test
  void closedKek_neitherWrapsNorUnwraps() {
    SoftwareKek kek = CryptoFixtures.kek(1);
    byte[] aad = new byte[0];
    Dek dek = Dek.random(CryptoFixtures.seeded(1));
    byte[] wrapped = kek.wrap(dek, aad);
    kek.close();
    assertThrows(IllegalStateException.class, () -> kek.wrap(dek, aad));
    assertThrows(IllegalStateException.class, () -> kek.unwrap(wrapped, aad));
  }
}
