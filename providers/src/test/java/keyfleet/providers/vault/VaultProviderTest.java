package keyfleet.providers.vault;

import static keyfleet.providers.ProviderFixtures.RANDOM;
import static keyfleet.providers.ProviderFixtures.canRoundTrip;
import static keyfleet.providers.ProviderFixtures.refusal;
import static keyfleet.providers.ProviderFixtures.v;
import static keyfleet.providers.ProviderFixtures.versions;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.KekProvider;
import keyfleet.providers.KeyDeletion;
import keyfleet.providers.ProviderException;
import keyfleet.providers.ProviderFixtures;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.SystemTicker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/// Tests KEKs in a real OpenBao. Each test has a Transit key of its own, with the name of the test.
class VaultProviderTest {
  private static final byte[] AAD = "where it belongs".getBytes(StandardCharsets.UTF_8);
  private static final byte[] OTHER_AAD = "elsewhere".getBytes(StandardCharsets.UTF_8);

  @TempDir private static Path folder = Path.of("");
  private static @Nullable OpenBaoServer started;

  @BeforeAll
  static void start() {
    started = OpenBaoServer.start(folder);
  }

  @AfterAll
  static void stop() {
    if (started != null) {
      started.close();
    }
  }

  private static OpenBaoServer bao() {
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
  }

  private static String keyOf(TestInfo test) {
    String key = test.getTestMethod().orElseThrow().getName();
    bao().callAsAdmin("POST", "transit/keys/" + key, "{\"type\":\"aes256-gcm96\"}");
    return key;
  }

  private static KekProvider open(String key, Path token) {
    return ProviderSpec.parse(
            "vault:%s?key=%s&token-file=%s".formatted(bao().address(), key, token))
        .open(KeyringName.MAIN, new ProviderContext(Map.of(), RANDOM, new SystemTicker()));
  }

  private static KekProvider open(String key) {
    return open(key, bao().createTokenFile(key, ""));
  }

  private static Dek dek() {
    return new Dek(SecretBytes.random(Dek.BYTES, RANDOM));
  }

  private static Kek kek(KekSet kekSet, int version) {
    return kekSet.find(v(version)).orElseThrow();
  }

  private static boolean canOpen(Kek kek, byte[] wrapped, byte[] aad, Dek expected) {
    Optional<Dek> opened = kek.unwrap(wrapped, aad);
    return opened.isPresent() && opened.get().bytes().equals(expected.bytes());
  }

  private static String unavailable(Executable action) {
    return assertThrows(KekUnavailableException.class, action).getMessage();
  }

  @Test
  void wrappedDek_opensOnlyWithItsKeyAndAad(TestInfo test) {
    String key = keyOf(test);
    bao().rotateKey(key);
    try (KekProvider provider = open(key)) {
      KekSet kekSet = provider.load();
      Dek dek = dek();
      byte[] wrapped = kek(kekSet, 1).wrap(dek, AAD);
      assertTrue(wrapped.length < 128, () -> wrapped.length + " bytes");
      assertTrue(canOpen(kek(kekSet, 1), wrapped, AAD, dek));
      assertEquals(Optional.empty(), kek(kekSet, 1).unwrap(wrapped, OTHER_AAD));
      assertEquals(Optional.empty(), kek(kekSet, 2).unwrap(wrapped, AAD));
      byte[] renumbered =
          new String(wrapped, StandardCharsets.US_ASCII)
              .replace("vault:v1:", "vault:v2:")
              .getBytes(StandardCharsets.US_ASCII);
      assertEquals(Optional.empty(), kek(kekSet, 2).unwrap(renumbered, AAD));
      byte[] corrupted = wrapped.clone();
      corrupted[20] = corrupted[20] == 'A' ? (byte) 'B' : (byte) 'A';
      assertEquals(Optional.empty(), kek(kekSet, 1).unwrap(corrupted, AAD));
    }
  }

  /// Raising the minimum would take away versions that are needed, or a key that others use.
  @Test
  void deletion_isLeftToAPersonWhereOthersMayNeedTheKey(TestInfo test) {
    String named = keyOf(test);
    bao().callAsAdmin("POST", "transit/keys/keyfleet-main", "{}");
    bao().rotateKey("keyfleet-main");
    try (KekProvider other = open(named);
        KekProvider provider = open("keyfleet-main")) {
      other.load();
      provider.load();
      assertEquals(
          "if nothing else uses Transit key transit/%1$s: bao write transit/keys/%1$s/config min_decryption_version=2 (or: vault …)"
              .formatted(named),
          instruction(other.prepareDeletion(v(1), Set.of(v(2)))));
      assertEquals(
          "destroy v1 first, because raising min_decryption_version takes every lower version away",
          instruction(provider.prepareDeletion(v(2), Set.of(v(1), v(3)))));
      assertTrue(
          instruction(provider.prepareDeletion(v(2), Set.of(v(3))))
              .endsWith("deletion_allowed=true && bao delete transit/keys/keyfleet-main"),
          "the last version");
      assertInstanceOf(
          KeyDeletion.Possible.class, provider.prepareDeletion(v(1), Set.of(v(2), v(3))));
    }
  }

  private static String instruction(KeyDeletion deletion) {
    return assertInstanceOf(KeyDeletion.ByHand.class, deletion).instruction();
  }

  @Test
  void rotationInVault_isACandidateAndChangesNothing(TestInfo test) {
    String key = keyOf(test);
    try (KekProvider provider = open(key)) {
      KekSet before = provider.load();
      byte[] wrapped = kek(before, 1).wrap(dek(), AAD);
      assertEquals(List.of(1), versions(before));
      bao().rotateKey(key);
      assertTrue(
          new String(kek(before, 1).wrap(dek(), AAD), StandardCharsets.US_ASCII)
              .startsWith("vault:v1:"));
      KekSet after = provider.load();
      assertEquals(List.of(1, 2), versions(after));
      assertSame(kek(before, 1), kek(after, 1));
      assertTrue(kek(after, 1).unwrap(wrapped, AAD).isPresent());
      assertTrue(canRoundTrip(after, 1) && canRoundTrip(after, 2));
    }
  }

  @Test
  void raisedMinimum_isNamedAndUndone(TestInfo test) {
    String key = keyOf(test);
    bao().rotateKey(key);
    try (KekProvider provider = open(key)) {
      Kek first = kek(provider.load(), 1);
      byte[] wrapped = first.wrap(dek(), AAD);
      String config = "transit/keys/" + key + "/config";
      bao().callAsAdmin("POST", config, "{\"min_decryption_version\":2}");
      assertTrue(unavailable(() -> first.unwrap(wrapped, AAD)).contains("min_decryption_version"));
      assertTrue(unavailable(() -> first.wrap(dek(), AAD)).contains("min_decryption_version"));
      assertEquals(List.of(2), versions(provider.load()));
      bao()
          .callAsAdmin(
              "POST", config, "{\"min_decryption_version\":1,\"min_encryption_version\":2}");
      assertSame(first, kek(provider.load(), 1));
      assertTrue(first.unwrap(wrapped, AAD).isPresent());
      assertTrue(unavailable(() -> first.wrap(dek(), AAD)).contains("min_encryption_version"));
    }
  }

  @Test
  void recreatedKey_isNotTheOldOne(TestInfo test) {
    String key = keyOf(test);
    String path = "transit/keys/" + key;
    try (KekProvider provider = open(key)) {
      Kek first = kek(provider.load(), 1);
      byte[] wrapped = first.wrap(dek(), AAD);
      delete(path);
      assertTrue(unavailable(() -> first.unwrap(wrapped, AAD)).contains("deleted"));
      assertTrue(refusal(provider::load).remedy().contains("bao write -f " + path));
      bao().callAsAdmin("POST", path, "{}");
      OpenBaoServer.await(() -> { // creation times are in whole seconds
        delete(path);
        bao().callAsAdmin("POST", path, "{}");
        return isReplaced(provider);
      });
      assertTrue(unavailable(() -> first.wrap(dek(), AAD)).contains("replaced"));
      assertTrue(unavailable(() -> first.unwrap(wrapped, AAD)).contains("replaced"));
    }
  }

  private static void delete(String path) {
    bao().callAsAdmin("POST", path + "/config", "{\"deletion_allowed\":true}");
    bao().callAsAdmin("DELETE", path, "");
  }

  private static boolean isReplaced(KekProvider provider) {
    try {
      provider.load();
      return false;
    } catch (ProviderException e) {
      return e.getMessage().contains("replaced");
    }
  }

  @Test
  void shortToken_isRenewedWhileItIsUsed(TestInfo test) {
    String key = keyOf(test);
    Path token = bao().createTokenFile(key, ",\"ttl\":\"4s\",\"renewable\":true");
    long begin = System.nanoTime();
    try (KekProvider provider = open(key, token)) {
      Kek kek = kek(provider.load(), 1);
      AtomicInteger wraps = new AtomicInteger();
      OpenBaoServer.await(() -> {
        kek.wrap(dek(), AAD);
        wraps.incrementAndGet();
        return System.nanoTime() - begin > 9_000_000_000L;
      });
      assertTrue(wraps.get() > 3, () -> wraps + " wraps");
    }
  }

  @Test
  void expiredToken_isReportedAndReplacedFromItsFile(TestInfo test) {
    String key = keyOf(test);
    Path token = bao().createTokenFile(key, ",\"ttl\":\"1s\",\"renewable\":false");
    try (KekProvider provider = open(key, token)) {
      Kek kek = kek(provider.load(), 1);
      OpenBaoServer.await(() -> {
        try {
          kek.wrap(dek(), AAD);
          return false;
        } catch (KekUnavailableException e) {
          assertTrue(e.getMessage().contains("wrong or expired"), e.getMessage());
          return true;
        }
      });
      ProviderException refusal = refusal(provider::load);
      assertTrue(refusal.remedy().contains("transit/keys/" + key), refusal.remedy());
      bao().createTokenFile(key, "");
      assertTrue(kek.unwrap(kek.wrap(dek(), AAD), AAD).isPresent());
    }
  }

  @Test
  void policyThatForbids_isNamedWithThePathThatItNeeds(TestInfo test) {
    String key = keyOf(test);
    Path token =
        ProviderFixtures.file(
            folder.resolve("other"), bao().createToken("someone-elses", ""), "rw-------");
    try (KekProvider provider = open(key, token)) {
      ProviderException refusal = refusal(provider::load);
      assertTrue(refusal.getMessage().contains("403"), refusal.getMessage());
      assertTrue(
          refusal.remedy().contains("path \"transit/keys/%s\"".formatted(key)), refusal.remedy());
    }
  }

  @Test
  void sealedOrKilledServer_isUnavailableUntilItIsBack(TestInfo test) {
    String key = keyOf(test);
    try (KekProvider provider = open(key)) {
      Kek kek = kek(provider.load(), 1);
      byte[] wrapped = kek.wrap(dek(), AAD);
      bao().seal();
      assertTrue(unavailable(() -> kek.unwrap(wrapped, AAD)).contains("sealed"));
      assertTrue(unavailable(provider::load).contains("sealed"));
      bao().unseal();
      assertTrue(kek.unwrap(wrapped, AAD).isPresent());
      AtomicInteger done = new AtomicInteger();
      CompletableFuture<String> busy =
          CompletableFuture.supplyAsync(() ->
              unavailable(() -> {
                while (true) {
                  assertTrue(kek.unwrap(wrapped, AAD).isPresent());
                  done.incrementAndGet();
                }
              }));
      OpenBaoServer.await(() -> done.get() > 20);
      bao().kill();
      String message = busy.join();
      assertTrue(message.contains("answer"), message);
      bao().restart();
      OpenBaoServer.await(() -> { // the cool-down may not be over
        try {
          kek.unwrap(wrapped, AAD);
          return false;
        } catch (KekUnavailableException e) {
          return e.getMessage().contains("sealed");
        }
      });
      bao().unseal();
      assertTrue(kek.unwrap(wrapped, AAD).isPresent());
    }
  }

  @Test
  void quota_isRespected(TestInfo test) {
    String key = keyOf(test);
    try (KekProvider provider = open(key)) {
      Kek kek = kek(provider.load(), 1);
      byte[] wrapped = kek.wrap(dek(), AAD);
      bao()
          .callAsAdmin(
              "POST", "sys/quotas/config", "{\"enable_rate_limit_response_headers\":true}");
      String quota = "sys/quotas/rate-limit/" + key;
      bao()
          .callAsAdmin(
              "POST",
              quota,
              "{\"path\":\"transit/decrypt/%s\",\"rate\":2,\"interval\":\"2s\"}".formatted(key));
      for (int i = 0; i < 5; i++) {
        assertTrue(kek.unwrap(wrapped, AAD).isPresent(), "call " + i);
      }
      bao()
          .callAsAdmin(
              "POST",
              quota,
              "{\"path\":\"transit/decrypt/%s\",\"rate\":1,\"interval\":\"600s\"}".formatted(key));
      kek.unwrap(wrapped, AAD);
      assertTrue(unavailable(() -> kek.unwrap(wrapped, AAD)).contains("too many calls (429)"));
      assertTrue(unavailable(() -> kek.unwrap(wrapped, AAD)).contains("next call allowed in"));
      bao().callAsAdmin("DELETE", quota, "");
    }
  }

  @Test
  void namespace_isHonoured(TestInfo test) {
    String key = test.getTestMethod().orElseThrow().getName();
    bao().callAsAdmin("POST", "sys/namespaces/team", "{}");
    bao().callAsAdmin("POST", "team/sys/mounts/kv/transit", "{\"type\":\"transit\"}");
    bao().callAsAdmin("POST", "team/kv/transit/keys/" + key, "{}");
    Path token = ProviderFixtures.file(folder.resolve("root"), bao().rootToken(), "rw-------");
    String rest = "?mount=kv/transit&key=%s&token-file=%s".formatted(key, token);
    ProviderContext context = new ProviderContext(Map.of(), RANDOM, new SystemTicker());
    try (KekProvider provider =
        ProviderSpec.parse("vault:" + bao().address() + rest + "&namespace=team")
            .open(KeyringName.MAIN, context)) {
      assertTrue(canRoundTrip(provider.load(), 1));
    }
    try (KekProvider provider =
        ProviderSpec.parse("vault:" + bao().address() + rest).open(KeyringName.MAIN, context)) {
      assertTrue(refusal(provider::load).getMessage().contains("nothing is mounted as kv/transit"));
    }
  }

  @Test
  void unfitKey_isRefused(TestInfo test) {
    String key = keyOf(test);
    for (String options : List.of("{\"type\":\"rsa-2048\"}", "{\"derived\":true}")) {
      String other = key + options.length();
      bao().callAsAdmin("POST", "transit/keys/" + other, options);
      try (KekProvider provider = open(other)) {
        assertTrue(refusal(provider::load).getMessage().contains("cannot hold KEKs"));
      }
    }
  }
}
