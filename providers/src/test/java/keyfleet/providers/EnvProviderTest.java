package keyfleet.providers;

import static keyfleet.providers.ProviderFixtures.KEY_1;
import static keyfleet.providers.ProviderFixtures.KEY_2;
import static keyfleet.providers.ProviderFixtures.RANDOM;
import static keyfleet.providers.ProviderFixtures.canRoundTrip;
import static keyfleet.providers.ProviderFixtures.refusal;
import static keyfleet.providers.ProviderFixtures.v;
import static keyfleet.providers.ProviderFixtures.versions;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KeyringName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvProviderTest {
  private static EnvProvider provider(String keyring, Map<String, String> environment) {
    return new EnvProvider(new KeyringName(keyring), environment, RANDOM);
  }

  private static KekSet load(Map<String, String> environment) {
    return provider("main", environment).load();
  }

  @Test
  void keysOfMain_haveAShortAndALongName() {
    KekSet kekSet =
        load(Map.of("KEYFLEET_KEK_V1", KEY_1, "KEYFLEET_KEK_MAIN_V2", KEY_2, "PATH", "x"));
    assertEquals(List.of(1, 2), versions(kekSet));
    assertTrue(canRoundTrip(kekSet, 1) && canRoundTrip(kekSet, 2));
  }

  @Test
  void keysOfAnotherKeyring_areLeftAlone() {
    Map<String, String> environment =
        Map.of("KEYFLEET_KEK_PAY_ROLL_V3", KEY_1, "KEYFLEET_KEK_V1", KEY_2);
    assertEquals(List.of(3), versions(provider("pay-roll", environment).load()));
    assertEquals(List.of(1), versions(load(environment)));
  }

  @Test
  void bothNamesForOneVersion_areRefused() {
    String message =
        refusal(() -> load(Map.of("KEYFLEET_KEK_V1", KEY_1, "KEYFLEET_KEK_MAIN_V1", KEY_1)))
            .getMessage();
    assertTrue(
        message.contains("KEYFLEET_KEK_V1") && message.contains("KEYFLEET_KEK_MAIN_V1"), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "c0ffee",
        "c0ffee0 c0ffee0 c0ffee0 c0ffee0 c0ffee0 c0ffee0 c0ffee0 c0ffee0 ",
        "c0ffee0g"
      })
  void invalidKey_isRefusedByNameAndNeverShown(String value) {
    String text = value.length() == 8 ? value.repeat(8) : value;
    ProviderException refusal = refusal(() -> load(Map.of("KEYFLEET_KEK_V7", text)));
    assertEquals(
        "KEYFLEET_KEK_V7 does not hold a key: a key is 64 hex digits", refusal.getMessage());
    assertFalse(refusal.remedy().contains("c0ffee"), refusal.remedy());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "KEYFLEET_KEK_V0",
        "KEYFLEET_KEK_V01",
        "KEYFLEET_KEK_V",
        "KEYFLEET_KEK_VX",
        "KEYFLEET_KEK_1",
        "KEYFLEET_KEK_main_V1",
        "KEYFLEET_KEK_V1_"
      })
  void almostValidName_isRefused(String name) {
    assertTrue(refusal(() -> load(Map.of(name, KEY_1))).getMessage().startsWith(name));
  }

  @Test
  void twoVersionsWithTheSameBytes_areRefused() {
    String message =
        refusal(() -> load(Map.of("KEYFLEET_KEK_V1", KEY_1, "KEYFLEET_KEK_V2", KEY_1)))
            .getMessage();
    assertTrue(message.contains("same bytes"), message);
  }

  @Test
  void loadedAgain_returnsTheSameKeys() {
    EnvProvider provider = provider("main", Map.of("KEYFLEET_KEK_V1", KEY_1));
    assertEquals(provider.load().find(v(1)), provider.load().find(v(1)));
  }

  @Test
  void closed_stopsItsKeys() {
    EnvProvider provider = provider("main", Map.of("KEYFLEET_KEK_V1", KEY_1));
    KekSet kekSet = provider.load();
    provider.close();
    assertThrows(IllegalStateException.class, () -> canRoundTrip(kekSet, 1));
  }

  @Test
  void noVariable_isNoKeyAndNoError() {
    assertEquals(List.of(), versions(load(Map.of())));
  }
}
