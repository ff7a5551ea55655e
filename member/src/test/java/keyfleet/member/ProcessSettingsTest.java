package keyfleet.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import keyfleet.keyring.Timings;
import keyfleet.member.MemberException.InvalidSetting;
import keyfleet.member.document.KeyEscaper;
import keyfleet.store.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessSettingsTest {
  private static final LocalProcess MACHINE = new LocalProcess("cap-api-1", 1234, Instant.EPOCH);

  /// `A=1 B=2`; `…` stands for `KEYFLEET_TIMING_`.
  private static Map<String, String> environment(String words) {
    Map<String, String> environment = new HashMap<>();
    for (String word : words.split(" ", -1)) {
      if (!word.isEmpty()) {
        String[] parts = word.replace("…", "KEYFLEET_TIMING_").split("=", 2);
        environment.put(parts[0], parts[1]);
      }
    }
    return environment;
  }

  private static ProcessSettings settings(String words) {
    return ProcessSettings.of(environment(words), MACHINE);
  }

  @ParameterizedTest
  @CsvSource({
    "'', cap-api-1-1234, ''",
    "HOSTNAME=laptop, cap-api-1-1234, ''",
    "KEYFLEET_INSTANCE=api-1, api-1, ''",
    "POD_NAME=api-7c9f, api-7c9f, api-7c9f",
    "KEYFLEET_INSTANCE=api-1 POD_NAME=api-7c9f, api-1, api-7c9f",
    "KUBERNETES_SERVICE_HOST=10.0.0.1 HOSTNAME=api-7c9f, api-7c9f, api-7c9f",
    "KUBERNETES_SERVICE_HOST=10.0.0.1 HOSTNAME=a POD_NAME=b, b, b",
    "KUBERNETES_SERVICE_HOST=10.0.0.1, cap-api-1-1234, ''"
  })
  void instanceName_comesFromTheFirstVariableThatIsSet(String words, String instance, String pod) {
    ProcessSettings settings = settings(words);
    assertEquals(instance, settings.instance());
    assertEquals(pod, settings.host().pod());
    assertEquals("cap-api-1", settings.host().name());
    assertEquals(1234, settings.host().pid());
    assertNull(settings.timings());
  }

  @Test
  void timings_areTakenFromTheEnvironmentAndElseTheDefaults() {
    Timings some = settings("…HEARTBEAT=2s …FRESH=5s").timings();
    Timings expected =
        new Timings(
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Timings.DEFAULT.lease(),
            Timings.DEFAULT.expire(),
            Timings.DEFAULT.adopt());
    assertEquals(expected, some);
    assertEquals(Timings.DEFAULT, settings("…ADOPT=60s").timings());
    Timings short5 =
        settings("…HEARTBEAT=500ms …FRESH=1s …LEASE=2s …EXPIRE=3s …ADOPT=1m").timings();
    assertEquals(
        new Timings(
            Duration.ofMillis(500),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofMinutes(1)),
        short5);
  }

  @ParameterizedTest
  @CsvSource({
    "KEYFLEET_INSTANCE=, KEYFLEET_INSTANCE is set but empty, unset KEYFLEET_INSTANCE",
    "POD_NAME=, POD_NAME is set but empty, unset POD_NAME",
    "KEYFLEET_INSTANCE=ä, an instance name has letters, KEYFLEET_INSTANCE=api-1",
    "KEYFLEET_INSTANCE=-a, this one is '-a', KEYFLEET_INSTANCE=api-1",
    "…HEARTBEAT=, KEYFLEET_TIMING_HEARTBEAT is '', KEYFLEET_TIMING_HEARTBEAT=30s",
    "…LEASE=90, KEYFLEET_TIMING_LEASE is '90', KEYFLEET_TIMING_LEASE=90s",
    "…HEARBEAT=3s, there is no setting KEYFLEET_TIMING_HEARBEAT, one of KEYFLEET_TIMING_HEARTBEAT",
    "…HEARTBEAT=31s, _HEARTBEAT=31s _FRESH=1m, unset them all",
    "…HEARTBEAT=0s, _HEARTBEAT=0s, unset them all",
    "…LEASE=2m, _LEASE=2m _EXPIRE=2m, unset them all"
  })
  void wrongSetting_isRefusedWithValueRuleAndRemedy(String words, String sentence, String remedy) {
    InvalidSetting refused = assertThrows(InvalidSetting.class, () -> settings(words));
    assertTrue(refused.getMessage().contains(sentence), refused.getMessage());
    assertTrue(refused.remedy().contains(remedy), refused.remedy());
  }

  @Test
  void longestName_fitsIntoAKey() {
    String longest = "a".repeat(190);
    assertEquals(longest, settings("KEYFLEET_INSTANCE=" + longest).instance());
    assertThrows(InvalidSetting.class, () -> settings("KEYFLEET_INSTANCE=a" + longest));
    assertThrows(InvalidSetting.class, () -> settings("KEYFLEET_INSTANCE=a" + ".".repeat(64)));
    assertTrue(
        Key.isValid("k".repeat(63) + "." + KeyEscaper.escape("a" + ".".repeat(63))), "a key");
  }

  @Test
  void controlCharacters_areNotPrintedBack() {
    InvalidSetting refused =
        assertThrows(
            InvalidSetting.class,
            () -> ProcessSettings.of(Map.of("KEYFLEET_INSTANCE", "a\u001b[31m"), MACHINE));
    assertTrue(refused.getMessage().endsWith("this one is 'a?[31m'"), refused.getMessage());
  }

  @Test
  void thisProcess_isKnown() {
    LocalProcess here = LocalProcess.current();
    assertEquals(ProcessHandle.current().pid(), here.pid());
    assertTrue(here.host().matches("\\S+"), here.host());
  }
}
