package keyfleet.member;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import keyfleet.crypto.KeyringName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaintextTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "4111", "Ünïcödé", "€", "𝄞 clef", "\u0000"})
  void text_isReturnedUnchanged(String text) {
    try (Plaintext plaintext = Plaintext.of(text)) {
      assertEquals(text, plaintext.text());
      assertEquals(text, plaintext.text());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\uD834", "a\uDD1E", "\uDD1E\uD834", "a\uD834"})
  void halfASurrogatePair_isRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> Plaintext.of(text));
  }

  @Test
  void bytesThatAreNotText_areReturnedOnlyAsBytes() {
    byte[] bytes = {(byte) 0xFF, 0, 1};
    Plaintext plaintext = Plaintext.of(bytes);
    bytes[2] = 9;
    assertArrayEquals(new byte[] {(byte) 0xFF, 0, 1}, plaintext.bytes());
    assertThrows(IllegalStateException.class, plaintext::text);
  }

  @Test
  void closedValue_cannotBeRead() {
    Plaintext plaintext = Plaintext.of("4111");
    assertEquals("Plaintext[4 bytes]", plaintext.toString());
    plaintext.close();
    assertThrows(IllegalStateException.class, plaintext::text);
    assertThrows(IllegalStateException.class, plaintext::bytes);
  }

  @Test
  void sealedValue_isParsedFromItsBytesAndText() {
    SealedValue sealed = new SealedValue(KeyringName.MAIN, MemberFixtures.sentinel(3).envelope());
    assertEquals(Optional.of(sealed), SealedValue.parse(KeyringName.MAIN, sealed.bytes()));
    assertEquals(Optional.of(sealed), SealedValue.parse(KeyringName.MAIN, sealed.base64()));
    assertEquals("SealedValue[main v3]", sealed.toString());
    assertEquals(Optional.empty(), SealedValue.parse(KeyringName.MAIN, "no base 64"));
    assertEquals(Optional.empty(), SealedValue.parse(KeyringName.MAIN, new byte[20]));
  }
}
