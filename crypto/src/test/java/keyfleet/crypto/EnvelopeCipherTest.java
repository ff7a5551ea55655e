package keyfleet.crypto;

import static keyfleet.crypto.CryptoFixtures.SSN;
import static keyfleet.crypto.CryptoFixtures.cipher;
import static keyfleet.crypto.CryptoFixtures.dataOf;
import static keyfleet.crypto.CryptoFixtures.kek;
import static keyfleet.crypto.CryptoFixtures.rewrap;
import static keyfleet.crypto.CryptoFixtures.seal;
import static keyfleet.crypto.CryptoFixtures.seeded;
import static keyfleet.crypto.CryptoFixtures.text;
import static keyfleet.crypto.CryptoFixtures.textOf;
import static keyfleet.crypto.CryptoFixtures.v;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeCipherTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "x", "123-45-6789", "Zoë's café 🔑"})
  void sealed_opens(String value) {
    EnvelopeCipher cipher = cipher(1);
    assertEquals(value, textOf(cipher.open(SSN, seal(cipher, 1, SSN, value).toBytes())));
  }

  @Test
  void sealedTwice_differsInEveryPart() {
    EnvelopeCipher cipher = cipher(1);
    byte[] first = seal(cipher, 1, SSN, "same").toBytes();
    byte[] second = seal(cipher, 1, SSN, "same").toBytes();
    int equal = 0;
    for (int i = 12; i < first.length; i++) {
      equal += first[i] == second[i] ? 1 : 0;
    }
    assertTrue(equal < first.length / 8, equal + " of " + first.length + " bytes are equal");
  }

  @Test
  void sealedAgainFromTheSameSeed_isTheSameAndOpens() {
    SecretBytes key = SecretBytes.copyOf(new byte[SoftwareKek.BYTES]);
    byte[] first =
        DerivedKeyAead.seal(
            DerivedKeyAead.Purpose.DATA.derivationFrom(key), new byte[0], text("x"), seeded(1));
    byte[] second =
        DerivedKeyAead.seal(
            DerivedKeyAead.Purpose.DATA.derivationFrom(key), new byte[0], text("x"), seeded(1));
    assertArrayEquals(first, second);
    assertTrue(
        DerivedKeyAead.open(DerivedKeyAead.Purpose.DATA.derivationFrom(key), new byte[0], second)
            .isPresent());
  }

  @Test
  void versionNotLoaded_isReportedAsAResult() {
    Envelope sealed = seal(cipher(2), 2, SSN, "x");
    assertEquals(new NoSuchVersion(v(2)), cipher(1).seal(v(2), SSN, text("x")));
    assertEquals(new NoSuchVersion(v(2)), cipher(1).open(SSN, sealed));
    assertEquals(new NoSuchVersion(v(2)), cipher(1).rewrap(SSN, sealed, v(1)));
    assertEquals(new NoSuchVersion(v(1)), cipher(2).rewrap(SSN, sealed, v(1)));
  }

  @Test
  void listener_seesEveryOutcomeOfEveryOperation() {
    List<String> seen = new ArrayList<>();
    EnvelopeCipher watched =
        new EnvelopeCipher(
            KekSet.of(KeyringName.MAIN, List.of(kek(1), kek(2))),
            seeded(7),
            (operation, version, outcome, _) ->
                seen.add(operation + " " + version + " " + outcome));
    Envelope first = seal(watched, 1, SSN, "x");
    watched.open(SSN, first);
    watched.open(new FieldLocation("customers", "18", "ssn"), first);
    watched.rewrap(SSN, first, v(2));
    watched.rewrap(new FieldLocation("customers", "18", "ssn"), first, v(2));
    watched.seal(v(3), SSN, text("x"));
    watched.rewrap(SSN, first, v(3));
    watched.open(SSN, seal(cipher(4), 4, SSN, "x"));
    assertEquals(
        List.of(
            "SEAL v1 OK",
            "OPEN v1 OK",
            "OPEN v1 REFUSED",
            "REWRAP v2 OK",
            "REWRAP v2 REFUSED",
            "SEAL v3 NO_SUCH_VERSION",
            "REWRAP v3 NO_SUCH_VERSION",
            "OPEN v4 NO_SUCH_VERSION"),
        seen);
  }

  @Test
  void rewrapped_keepsDataBytesAndNeedsOnlyTheNewKey() {
    EnvelopeCipher both = cipher(1, 2);
    Envelope old = seal(both, 1, SSN, "123-45-6789");
    Envelope moved = rewrap(both, SSN, old, 2);
    int data = DerivedKeyAead.OVERHEAD_BYTES + "123-45-6789".length();
    assertEquals(v(2), moved.version());
    assertArrayEquals(dataOf(old, data), dataOf(moved, data));
    assertEquals("123-45-6789", textOf(cipher(2).open(SSN, moved)));
    assertEquals(new NoSuchVersion(v(2)), cipher(1).open(SSN, moved));
  }

  @Test
  void rewrappedBackAndForth_stillOpens() {
    EnvelopeCipher cipher = cipher(1, 2, 3);
    Envelope envelope = seal(cipher, 1, SSN, "x");
    for (int target : new int[] {2, 3, 3, 1, 2}) {
      envelope = rewrap(cipher, SSN, envelope, target);
    }
    assertEquals("x", textOf(cipher.open(SSN, envelope)));
  }

  @Test
  void rewrapAtAnotherLocation_isRefused() {
    EnvelopeCipher cipher = cipher(1, 2);
    FieldLocation other = new FieldLocation("customers", "18", "ssn");
    assertEquals(new Refused(), cipher.rewrap(other, seal(cipher, 1, SSN, "x"), v(2)));
  }

  @Test
  void keyThatManglesDeks_isCaughtBeforeTheOldWrapIsGone() {
    KekSet kekSet = KekSet.of(KeyringName.MAIN, List.of(kek(1), new ManglingKek(kek(2))));
    EnvelopeCipher cipher = new EnvelopeCipher(kekSet, seeded(1));
    Envelope envelope = seal(cipher, 1, SSN, "x");
    assertThrows(IllegalStateException.class, () -> cipher.rewrap(SSN, envelope, v(2)));
    assertFalse(cipher.canRoundTrip(v(2)));
    assertTrue(cipher.canRoundTrip(v(1)));
  }

  @Test
  void versionThatIsMissing_doesNotRoundTrip() {
    assertFalse(cipher(1).canRoundTrip(v(2)));
  }

  @Test
  void valueOverTheLimit_isRefusedBeforeSealing() {
    SecretBytes large = SecretBytes.copyOf(new byte[Envelope.MAX_PLAINTEXT + 1]);
    assertThrows(IllegalArgumentException.class, () -> cipher(1).seal(v(1), SSN, large));
  }

  @Test
  void valueAtTheLimit_opens() {
    EnvelopeCipher cipher = cipher(1);
    String value = "x".repeat(Envelope.MAX_PLAINTEXT);
    assertEquals(value, textOf(cipher.open(SSN, seal(cipher, 1, SSN, value).toBytes())));
  }

  @Test
  void twoKeksOfOneVersion_areRejected() {
    assertThrows(
        IllegalArgumentException.class, () -> KekSet.of(KeyringName.MAIN, List.of(kek(1), kek(1))));
  }

  @Test
  void envelopesWithOtherBytes_areNotEqual() {
    EnvelopeCipher cipher = cipher(1);
    Envelope envelope = seal(cipher, 1, SSN, "x");
    assertEquals(envelope, Envelope.parse(envelope.toBytes()).orElseThrow());
    assertNotEquals(envelope, seal(cipher, 1, SSN, "x"));
  }

  /// Unwraps to another DEK than it wrapped, as MONGOCRYPT-464 did with every key.
  private record ManglingKek(Kek kek) implements Kek {
    @Override
    public KekVersion version() {
      return kek.version();
    }

    @Override
    public byte[] wrap(Dek dek, byte[] aad) {
      return kek.wrap(Dek.random(seeded(99)), aad);
    }

    @Override
    public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
      return kek.unwrap(wrapped, aad);
    }
  }
}
