package keyfleet.crypto;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import keyfleet.crypto.OpenResult.Opened;
import keyfleet.crypto.RewrapResult.Rewrapped;
import keyfleet.crypto.SealResult.Sealed;

/// Test data of this module: keys, ciphers and locations.
final class CryptoFixtures {
  static final FieldLocation SSN = new FieldLocation("customers", "17", "ssn");

  private CryptoFixtures() {}

  static KekVersion v(int number) {
    return new KekVersion(number);
  }

  static SoftwareKek kek(int version) {
    byte[] key = new byte[SoftwareKek.BYTES];
    new Random(version).nextBytes(key);
    return new SoftwareKek(v(version), SecretBytes.copyOf(key), seeded(1000 + version));
  }

  static KekSet keks(int... versions) {
    return KekSet.of(
        KeyringName.MAIN, IntStream.of(versions).mapToObj(CryptoFixtures::kek).toList());
  }

  static EnvelopeCipher cipher(int... versions) {
    return new EnvelopeCipher(keks(versions), seeded(42));
  }

  static SecretBytes text(String value) {
    return SecretBytes.copyOf(value.getBytes(StandardCharsets.UTF_8));
  }

  static String textOf(OpenResult result) {
    return switch (result) {
      case Opened(var plaintext, _) ->
          new String(plaintext.reveal(SecretAccess.granted()), StandardCharsets.UTF_8);
      case NoSuchVersion missing -> missing.toString();
      case Refused refused -> refused.toString();
    };
  }

  static Envelope seal(EnvelopeCipher cipher, int version, FieldLocation location, String value) {
    return ((Sealed) cipher.seal(v(version), location, text(value))).envelope();
  }

  static Envelope rewrap(
      EnvelopeCipher cipher, FieldLocation location, Envelope envelope, int target) {
    return ((Rewrapped) cipher.rewrap(location, envelope, v(target))).envelope();
  }

  /// The last bytes of an envelope: all but its header and wrapped DEK.
  static byte[] dataOf(Envelope envelope, int length) {
    byte[] bytes = envelope.toBytes();
    return Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
  }

  /// Repeatable randomness.
  static SecureRandom seeded(long seed) {
    return new SeededRandom(seed);
  }

  private static final class SeededRandom extends SecureRandom {
    private static final long serialVersionUID = 1L;

    private final Random source;

    SeededRandom(long seed) {
      this.source = new Random(seed);
    }

    @Override
    public void nextBytes(byte[] bytes) {
      source.nextBytes(bytes);
    }
  }
}
