package keyfleet.crypto;

import static keyfleet.crypto.CryptoFixtures.SSN;
import static keyfleet.crypto.CryptoFixtures.cipher;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import keyfleet.crypto.OpenResult.Opened;

/// For any bytes the parser returns and never throws, and what it accepts is written back byte for
/// byte.
class EnvelopeFuzzTest {
  private static final EnvelopeCipher CIPHER = cipher(1, 2);

  @FuzzTest(maxDuration = "10s")
  void anyBytes_areParsedAndWrittenBackOrRefused(byte[] bytes) {
    Envelope.parse(bytes).ifPresent(envelope -> assertArrayEquals(bytes, envelope.toBytes()));
    assertFalse(CIPHER.open(SSN, bytes) instanceof Opened, "opened bytes that were never sealed");
  }
}
