package keyfleet.crypto;

import static keyfleet.crypto.CryptoFixtures.cipher;
import static keyfleet.crypto.CryptoFixtures.seeded;
import static keyfleet.crypto.CryptoFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import keyfleet.crypto.Sentinel.Claim;
import org.junit.jupiter.api.Test;

class SentinelTest {
  private static final Claim API_1 = new Claim("api-1", 7);
  private static final Sentinel SENTINEL =
      Sentinel.create(cipher(1, 2), v(2), seeded(5)).orElseThrow();

  private static Optional<Proof> prove(Sentinel sentinel, EnvelopeCipher cipher) {
    return new ProofCache().prove(sentinel, cipher, API_1);
  }

  @Test
  void holderOfTheKey_isAccepted() {
    Proof proof = prove(SENTINEL, cipher(2)).orElseThrow();
    assertTrue(isValid(SENTINEL, API_1, proof));
    assertEquals(proof, Proof.parse(proof.toString()).orElseThrow());
  }

  @Test
  void proofOfAnotherInstanceEpochOrVersion_isNotAccepted() {
    Proof proof = prove(SENTINEL, cipher(2)).orElseThrow();
    assertFalse(isValid(SENTINEL, new Claim("api-2", 7), proof));
    assertFalse(isValid(SENTINEL, new Claim("api-1", 8), proof));
    Sentinel first = Sentinel.create(cipher(1, 2), v(1), seeded(6)).orElseThrow();
    assertFalse(isValid(first, API_1, proof));
  }

  @Test
  void sameVersionWithOtherBytes_provesNothing() {
    SoftwareKek impostor = new SoftwareKek(v(2), SecretBytes.copyOf(new byte[32]), seeded(1));
    EnvelopeCipher other =
        new EnvelopeCipher(KekSet.of(KeyringName.MAIN, List.of(impostor)), seeded(1));
    assertEquals(Optional.empty(), prove(SENTINEL, other));
    assertEquals(Optional.empty(), SENTINEL.open(other));
  }

  @Test
  void cachedProof_isThatOfTheSentinel() {
    ProofCache proofCache = new ProofCache();
    EnvelopeCipher holder = cipher(1, 2);
    Sentinel again = Sentinel.create(holder, v(2), seeded(77)).orElseThrow();
    for (int i = 0; i < 2; i++) {
      for (Claim claim : List.of(API_1, new Claim("api-1", 8), new Claim("api-2", 7))) {
        assertEquals(
            new ProofCache().prove(SENTINEL, holder, claim),
            proofCache.prove(SENTINEL, holder, claim));
        assertEquals(
            new ProofCache().prove(again, holder, claim), proofCache.prove(again, holder, claim));
      }
    }
  }

  @Test
  void cachedProof_isNotReturnedForOtherBytesOrWithoutAKey() {
    ProofCache proofCache = new ProofCache();
    assertTrue(proofCache.prove(SENTINEL, cipher(2), API_1).isPresent());
    SoftwareKek impostor = new SoftwareKek(v(2), SecretBytes.copyOf(new byte[32]), seeded(1));
    EnvelopeCipher other =
        new EnvelopeCipher(KekSet.of(KeyringName.MAIN, List.of(impostor)), seeded(1));
    assertEquals(Optional.empty(), proofCache.prove(SENTINEL, other, API_1));
    assertEquals(Optional.empty(), proofCache.prove(SENTINEL, cipher(1), API_1));
  }

  /// A device may lose a key after it made a proof.
  @Test
  void cachedProof_isNotReturnedWhenTheKeyNoLongerWraps() {
    ProofCache proofCache = new ProofCache();
    SoftwareKek kek = CryptoFixtures.kek(2);
    EnvelopeCipher holder =
        new EnvelopeCipher(KekSet.of(KeyringName.MAIN, List.of(kek)), seeded(1));
    Sentinel own = Sentinel.create(holder, v(2), seeded(5)).orElseThrow();
    assertTrue(proofCache.prove(own, holder, API_1).isPresent());
    kek.close();
    assertThrows(IllegalStateException.class, () -> proofCache.prove(own, holder, API_1));
  }

  @Test
  void missingVersion_hasNeitherSentinelNorProof() {
    assertEquals(Optional.empty(), Sentinel.create(cipher(1), v(2), seeded(1)));
    assertEquals(Optional.empty(), prove(SENTINEL, cipher(1)));
  }

  @Test
  void twoSentinelsOfOneVersion_giveDifferentProofs() {
    Sentinel again = Sentinel.create(cipher(2), v(2), seeded(77)).orElseThrow();
    assertNotEquals(prove(SENTINEL, cipher(2)), prove(again, cipher(2)));
  }

  @Test
  void sentinelUnderAnotherVersion_isRejected() {
    assertThrows(IllegalArgumentException.class, () -> new Sentinel(v(1), SENTINEL.envelope()));
  }

  @Test
  void textThatIsNotAProof_isNotParsed() {
    assertEquals(Optional.empty(), Proof.parse("abc"));
    assertEquals(Optional.empty(), Proof.parse("\u00e9".repeat(64)));
    assertEquals(Optional.empty(), Proof.parse("ab".repeat(31) + "a@"));
    assertEquals(Optional.empty(), Proof.parse("ab".repeat(32) + "a"));
    assertEquals(Proof.parse("ab".repeat(32)), Proof.parse("AB".repeat(32)));
    assertEquals(Optional.empty(), Proof.parse("g".repeat(64)));
  }

  private static boolean isValid(Sentinel sentinel, Claim claim, Proof proof) {
    try (OpenedSentinel open = sentinel.open(cipher(1, 2)).orElseThrow()) {
      return open.isValid(claim, proof);
    }
  }
}
