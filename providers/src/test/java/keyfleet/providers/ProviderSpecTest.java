package keyfleet.providers;

import static keyfleet.providers.ProviderFixtures.refusal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import keyfleet.providers.ProviderSpec.Env;
import keyfleet.providers.ProviderSpec.KeyFolder;
import keyfleet.providers.ProviderSpec.Pkcs11;
import keyfleet.providers.ProviderSpec.Simulated;
import keyfleet.providers.pkcs11.Pkcs11Settings;
import keyfleet.providers.pkcs11.Pkcs11Settings.PinDescriptor;
import keyfleet.providers.pkcs11.Pkcs11Settings.PinFile;
import keyfleet.providers.vault.VaultSpec;
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

  @Test
  void vault_hasTheUsualMountAndMayNameAnother() {
    assertEquals(
        new VaultSpec(URI.create("https://host:8200"), "transit", null, Path.of("/t"), null, null),
        ProviderSpec.parse("vault:https://host:8200/?token-file=/t"));
    assertEquals(
        new VaultSpec(
            URI.create("http://[::1]:8200"), "a/b", "k", Path.of("t"), Path.of("c"), "team/x"),
        ProviderSpec.parse(
            "vault:http://[::1]:8200?mount=a/b&key=k&token-file=t&ca-file=c&namespace=team/x"));
  }

  @Test
  void passwordInAnAddress_isRefusedAndNotShown() {
    ProviderException refusal =
        refusal(() -> ProviderSpec.parse("vault:https://me:1234@host?token-file=t"));
    assertTrue(refusal.getMessage().startsWith("provider vault:https://…@host: "));
    assertFalse(refusal.getMessage().contains("1234"));
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
        "PKCS11:x",
        "vault",
        "vault:",
        "vault:host",
        "vault:ftp://host?token-file=t",
        "vault:https://?token-file=t",
        "vault:https://host:8200",
        "vault:https://host:8200?token-file=",
        "vault:https://host/v1?token-file=t",
        "vault:http://host:8200?token-file=t",
        "vault:http://127.0.0.1.example.org?token-file=t",
        "vault:https://host?token-file=t&mount=/transit",
        "vault:https://host?token-file=t&mount=a/../b",
        "vault:https://host?token-file=t&key=a/b",
        "vault:https://host?token-file=t&namespace=%0a",
        "vault:https://host?token-file=t&token=1234",
        "vault:https://host?token-file=t&ca-file=%00"
      })
  void malformed_isRefusedWithTheTextAndARemedy(String text) {
    ProviderException refusal = refusal(() -> ProviderSpec.parse(text));
    String subject = text.contains("?") ? text.substring(0, text.indexOf('?')) : text;
    assertTrue(refusal.getMessage().startsWith("provider " + subject), refusal.getMessage());
    assertFalse(refusal.remedy().isBlank());
    assertFalse((refusal.getMessage() + refusal.remedy()).contains("1234"), "a PIN was shown");
  }
}
