package keyfleet.providers;

import static keyfleet.providers.Fixtures.refusal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import keyfleet.providers.Pkcs11Settings.PinDescriptor;
import keyfleet.providers.Pkcs11Settings.PinFile;
import keyfleet.providers.ProviderSpec.Env;
import keyfleet.providers.ProviderSpec.KeyFolder;
import keyfleet.providers.ProviderSpec.Pkcs11;
import keyfleet.providers.ProviderSpec.Simulated;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProviderSpecTest {
  @Test
  void wellFormed_isParsed() {
    assertEquals(new Env(), ProviderSpec.parse("env"));
    assertEquals(new KeyFolder(Path.of("/etc/keys")), ProviderSpec.parse("file:/etc/keys"));
    assertEquals(
        new Simulated(Path.of("keys"), Duration.ofMillis(20), 100),
        ProviderSpec.parse("simulated:keys?latency=20ms&rate=100"));
    assertEquals(
        new Simulated(Path.of("keys"), Duration.ofSeconds(2), 1_000_000),
        ProviderSpec.parse("simulated:keys?latency=2s"));
    assertEquals(
        new Pkcs11(new Pkcs11Settings(Path.of("/m.so"), "a & b+", new PinFile(Path.of("/pin")))),
        ProviderSpec.parse("pkcs11:/m.so?token=a %26 b+&pin-file=/pin"));
    assertEquals(
        new Pkcs11(new Pkcs11Settings(Path.of("/m.so"), "t", new PinDescriptor(3))),
        ProviderSpec.parse("pkcs11:/m.so?token=t&pin-fd=3"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "envy",
        "env:x",
        "file",
        "file:",
        "file:x?mode=0644",
        "simulated:",
        "simulated:x?latency=fast",
        "simulated:x?rate=0",
        "simulated:x?rate=1&rate=2",
        "simulated:x?rate",
        "simulated:x?latency=%zz",
        "file:\0",
        "pkcs11:",
        "pkcs11:x.so",
        "pkcs11:x.so?token=t",
        "pkcs11:x.so?token=%20&pin-file=p",
        "pkcs11:x.so?pin-file=p",
        "pkcs11:x.so?token=t&pin-file=p&pin-fd=3",
        "pkcs11:x.so?token=t&pin-fd=x",
        "pkcs11:x.so?token=t&pin-file=p&pin=1234",
        "PKCS11:x"
      })
  void malformed_isRefusedWithTheTextAndARemedy(String text) {
    ProviderException refusal = refusal(() -> ProviderSpec.parse(text));
    String subject = text.contains("?") ? text.substring(0, text.indexOf('?')) : text;
    assertTrue(refusal.getMessage().startsWith("provider " + subject), refusal.getMessage());
    assertFalse(refusal.remedy().isBlank());
    assertFalse((refusal.getMessage() + refusal.remedy()).contains("1234"), "a PIN was shown");
  }
}
