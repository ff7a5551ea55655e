package keyfleet.crypto;

import static keyfleet.crypto.CryptoFixtures.SSN;
import static keyfleet.crypto.CryptoFixtures.cipher;
import static keyfleet.crypto.CryptoFixtures.seal;
import static keyfleet.crypto.CryptoFixtures.seeded;
import static keyfleet.crypto.CryptoFixtures.textOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import keyfleet.crypto.OpenResult.Opened;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a thief or a malicious database can do to an envelope. All of it must be refused.
class EnvelopeTamperTest {
  private static final EnvelopeCipher CIPHER = cipher(1, 2);
  private static final SecretBytes KEY = SecretBytes.copyOf(new byte[32]);

  static List<FieldLocation> otherLocations() {
    return List.of(
        new FieldLocation("customers", "18", "ssn"),
        new FieldLocation("customers", "17", "email"),
        new FieldLocation("orders", "17", "ssn"),
        // The same letters, split elsewhere: a mere concatenation would confuse them.
        new FieldLocation("customers1", "7", "ssn"),
        new FieldLocation("customers", "17s", "sn"));
  }

  @ParameterizedTest
  @MethodSource("otherLocations")
  void envelopeMovedElsewhere_isRefused(FieldLocation other) {
    byte[] bytes = seal(CIPHER, 1, SSN, "x").toBytes();
    assertEquals(new Refused(), CIPHER.open(other, bytes));
    assertEquals("x", textOf(CIPHER.open(SSN, bytes)));
  }

  @Test
  void everyPairOfLocations_isDistinguished() {
    for (FieldLocation from : otherLocations()) {
      byte[] bytes = seal(CIPHER, 1, from, "x").toBytes();
      for (FieldLocation to : otherLocations()) {
        Class<?> expected = from.equals(to) ? Opened.class : Refused.class;
        assertInstanceOf(expected, CIPHER.open(to, bytes), from + " opened at " + to);
      }
    }
  }

  @Test
  void envelopeOfAnotherKeyring_isRefusedEvenWithTheSameKeyBytes() {
    KekSet payments = KekSet.of(new KeyringName("payments"), List.of(CryptoFixtures.kek(1)));
    byte[] bytes = seal(CIPHER, 1, SSN, "x").toBytes();
    assertEquals(new Refused(), new EnvelopeCipher(payments, seeded(1)).open(SSN, bytes));
  }

  @Test
  void versionEdited_isRefused() {
    byte[] bytes = seal(CIPHER, 1, SSN, "x").toBytes();
    ByteBuffer.wrap(bytes).putInt(Envelope.VERSION_OFFSET, 2);
    assertEquals(new Refused(), CIPHER.open(SSN, bytes));
  }

  @Test
  void versionEditedWhileBothVersionsShareBytes_isRefused() {
    SecretBytes same = SecretBytes.copyOf(new byte[32]);
    KekSet twins =
        KekSet.of(
            KeyringName.MAIN,
            List.of(
                new SoftwareKek(CryptoFixtures.v(1), same, seeded(1)),
                new SoftwareKek(CryptoFixtures.v(2), same, seeded(2))));
    EnvelopeCipher cipher = new EnvelopeCipher(twins, seeded(3));
    byte[] bytes = seal(cipher, 1, SSN, "x").toBytes();
    ByteBuffer.wrap(bytes).putInt(Envelope.VERSION_OFFSET, 2);
    assertEquals(new Refused(), cipher.open(SSN, bytes));
  }

  @Test
  void wrappedDekOfAnotherRecord_isRefused() {
    byte[] ours = seal(CIPHER, 1, SSN, "x").toBytes();
    byte[] theirs = seal(CIPHER, 1, new FieldLocation("customers", "18", "ssn"), "y").toBytes();
    int data = 12 + 1 + DerivedKeyAead.OVERHEAD_BYTES + Dek.BYTES;
    System.arraycopy(theirs, 12, ours, 12, data - 12);
    assertEquals(new Refused(), CIPHER.open(SSN, ours));
  }

  @Test
  void dataOfAnotherVersionOfTheSameRecord_isRefused() {
    byte[] ours = seal(CIPHER, 1, SSN, "x").toBytes();
    byte[] older = seal(CIPHER, 1, SSN, "y").toBytes();
    int data = 12 + 1 + DerivedKeyAead.OVERHEAD_BYTES + Dek.BYTES;
    System.arraycopy(older, data, ours, data, ours.length - data);
    assertEquals(new Refused(), CIPHER.open(SSN, ours));
  }

  @Test
  void anyBitFlipped_isNeverOpened() {
    byte[] bytes = seal(CIPHER, 1, SSN, "123-45-6789").toBytes();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] altered = bytes.clone();
      altered[bit / 8] ^= (byte) (1 << bit % 8);
      OpenResult result = CIPHER.open(SSN, altered);
      assertFalse(result instanceof Opened, "bit " + bit + " flipped: " + result);
    }
  }

  @Test
  void anyTruncationOrExtension_isRefused() {
    byte[] bytes = seal(CIPHER, 1, SSN, "123-45-6789").toBytes();
    for (int length = 0; length < bytes.length + 40; length++) {
      if (length != bytes.length) {
        OpenResult result = CIPHER.open(SSN, Arrays.copyOf(bytes, length));
        assertEquals(new Refused(), result, "cut to " + length);
      }
    }
  }

  /// Only the header is checked against the bounds, before anything is allocated or decrypted.
  @Test
  void wrappedDekLengthOutOfBounds_isRefused() {
    byte[] bytes = seal(CIPHER, 1, SSN, "x").toBytes();
    for (int length : new int[] {0, Envelope.MAX_WRAPPED_DEK + 1, 0xFFFF, bytes.length}) {
      byte[] altered = bytes.clone();
      ByteBuffer.wrap(altered).putShort(10, (short) length);
      assertTrue(Envelope.parse(altered).isEmpty(), "length " + length);
    }
  }

  /// The attack of CVE-2020-8897 needs a message that another key accepts. The commitment prevents
  /// that.
  @Test
  void messageWithAForeignCommitment_isRefusedEvenIfItsTagIsRight() {
    byte[] message = sealMessage(DerivedKeyAead.Purpose.DATA, 1);
    byte[] other = sealMessage(DerivedKeyAead.Purpose.DATA, 2);
    System.arraycopy(
        other,
        DerivedKeyAead.SALT_BYTES,
        message,
        DerivedKeyAead.SALT_BYTES,
        DerivedKeyAead.COMMITMENT_BYTES);
    assertTrue(openMessage(DerivedKeyAead.Purpose.DATA, message).isEmpty());
  }

  @Test
  void messageOfAnotherPurpose_isRefused() {
    byte[] message = sealMessage(DerivedKeyAead.Purpose.DATA, 1);
    assertTrue(openMessage(DerivedKeyAead.Purpose.WRAP, message).isEmpty());
    assertTrue(openMessage(DerivedKeyAead.Purpose.DATA, message).isPresent());
  }

  private static byte[] sealMessage(DerivedKeyAead.Purpose purpose, int seed) {
    return DerivedKeyAead.seal(
        purpose.derivationFrom(KEY), new byte[0], CryptoFixtures.text("x"), seeded(seed));
  }

  private static Optional<SecretBytes> openMessage(DerivedKeyAead.Purpose purpose, byte[] message) {
    return DerivedKeyAead.open(purpose.derivationFrom(KEY), new byte[0], message);
  }
}
