package keyfleet.crypto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CryptoIdentifiersTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "Main", "a_b", "1a", "-a", "a b", "a/b", "é"})
  void badKeyringName_isRefused(String name) {
    assertThrows(IllegalArgumentException.class, () -> new KeyringName(name));
  }

  @Test
  void keyringName_hasOneFormInVariables() {
    assertEquals("PAY_ROLL", new KeyringName("pay-roll").toVariableForm());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "01", "-1", "+1", "1.0", "1 ", "x", "1000000000", "１"})
  void badVersion_isNotParsed(String digits) {
    assertEquals(Optional.empty(), KekVersion.parse(digits));
  }

  @Test
  void version_isParsed() {
    assertEquals(Optional.of(new KekVersion(12)), KekVersion.parse("12"));
    assertThrows(IllegalArgumentException.class, () -> new KekVersion(0));
  }

  @Test
  void malformedLocation_isRefused() {
    IllegalArgumentException loneSurrogate =
        assertThrows(IllegalArgumentException.class, () -> new FieldLocation("a", "\uD800", "c"));
    assertTrue(String.valueOf(loneSurrogate.getMessage()).contains("well-formed"));
    assertThrows(IllegalArgumentException.class, () -> new FieldLocation("", "b", "c"));
    assertThrows(
        IllegalArgumentException.class, () -> new FieldLocation("a", "b", "x".repeat(1025)));
  }
}
