package keyfleet.providers.vault;

import static keyfleet.providers.ProviderFixtures.RANDOM;
import static keyfleet.providers.ProviderFixtures.refusal;
import static keyfleet.providers.ProviderFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderException;
import keyfleet.providers.ProviderFixtures;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.RequestUid;
import keyfleet.providers.ScriptedHttpServer;
import keyfleet.providers.ScriptedHttpServer.ReceivedRequest;
import keyfleet.providers.ScriptedHttpServer.ScriptedResponse;
import keyfleet.providers.SystemTicker;
import keyfleet.providers.TraceHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests answers that a healthy server does not give.
class VaultClientTest {
  private static final Map<String, String> TRACE =
      Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  private static final String TOKEN = "s.recognisable";
  private static final byte[] AAD = {1};
  private static final ScriptedResponse KEY =
      new ScriptedResponse(200, "{\"data\":{\"type\":\"aes256-gcm96\",\"keys\":{\"1\":17}}}");

  @TempDir Path folder = Path.of("");

  /// Answers the requests of a load like a real server, and all others as `script` says.
  private static Function<ReceivedRequest, ScriptedResponse> answerLoadsAnd(
      Function<ReceivedRequest, ScriptedResponse> script) {
    return request ->
        request.path().equals("/v1/transit/keys/keyfleet-main")
            ? KEY
            : request.path().contains("/transit/")
                ? script.apply(request)
                : new ScriptedResponse(403, "{\"errors\":[\"permission denied\"]}");
  }

  private KekProvider open(String address, String rest) {
    Path token = ProviderFixtures.file(folder.resolve("token"), TOKEN + "\n", "rw-------");
    return ProviderSpec.parse("vault:%s?token-file=%s%s".formatted(address, token, rest))
        .open(KeyringName.MAIN, new ProviderContext(Map.of(), RANDOM, new SystemTicker()));
  }

  private KekProvider open(ScriptedHttpServer server) {
    return open("http://127.0.0.1:" + server.port(), "");
  }

  private static Kek kek(KekProvider provider) {
    return provider.load().find(v(1)).orElseThrow();
  }

  private static Dek dek() {
    return new Dek(SecretBytes.copyOf(new byte[Dek.BYTES]));
  }

  private static String unavailable(Kek kek) {
    return assertThrows(KekUnavailableException.class, () -> kek.wrap(dek(), AAD)).getMessage();
  }

  @ParameterizedTest
  @CsvSource({
    "200, '{\"data\":{}}', 1, an answer that Transit does not give",
    "200, <html>, 1, an answer that Transit does not give",
    "200, '{\"data\":{\"ciphertext\":\"vault:v2:AAAA\"}}', 1, an answer that Transit does not give",
    "400, '{\"errors\":[\"what is this\"]}', 1, answered 400",
    "307, '', 1, is a standby",
    "473, '', 1, is a standby",
    "418, '', 1, answered 418",
    "503, '{\"errors\":[\"Vault is sealed\"]}', 1, is sealed",
    "503, <html>, 4, not in service",
    "500, '{\"errors\":[\"internal\"]}', 4, answered 500",
    "502, <html>, 4, answered 502",
    "429, '{\"errors\":[]}', 4, too many calls",
  })
  void errorResponse_isExplainedAndRetriedOnlyIfThatMayHelp(
      int status, String body, int times, String words) {
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(answerLoadsAnd(_ -> new ScriptedResponse(status, body)));
        KekProvider provider = open(server)) {
      Kek kek = kek(provider);
      int before = server.requests().size();
      String message = unavailable(kek);
      assertTrue(message.contains(words), message);
      assertEquals(times, server.requests().size() - before);
    }
  }

  @Test
  void serverThatQuotesTheRequest_isNotQuoted() {
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(
                answerLoadsAnd(request ->
                    new ScriptedResponse(
                        400,
                        "{\"errors\":[\"cannot read %s of %s\"]}"
                            .formatted(
                                request.body().replace("\"", ""),
                                request.header("X-Vault-Token")))));
        KekProvider provider = open(server)) {
      String message = unavailable(kek(provider));
      String sent = server.requests().getLast().body();
      assertTrue(sent.contains("AAAAAAAAAAAAAAAA"), "the key did not go out");
      assertFalse(message.contains("AAAA") || message.contains(TOKEN), message);
    }
  }

  @Test
  void momentaryFailure_isRetried() {
    AtomicInteger tries = new AtomicInteger();
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(
                answerLoadsAnd(_ ->
                    tries.getAndIncrement() == 0
                        ? new ScriptedResponse(500, "")
                        : new ScriptedResponse(
                            200, "{\"data\":{\"ciphertext\":\"vault:v1:AAAA\"}}")));
        KekProvider provider = open(server)) {
      assertEquals("vault:v1:AAAA".length(), kek(provider).wrap(dek(), AAD).length);
      assertEquals(2, tries.get());
    }
  }

  @Test
  void requests_carryVersionAadTokenUidAndTrace() {
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(
                answerLoadsAnd(_ ->
                    new ScriptedResponse(200, "{\"data\":{\"ciphertext\":\"vault:v1:AAAA\"}}")));
        KekProvider provider = open(server)) {
      Kek kek = kek(provider);
      assertEquals(
          "", server.requests().getLast().header("traceparent"), "this call is not traced");
      RequestUid.callWith("uid-42", () -> TraceHeaders.callWith(TRACE, () -> kek.wrap(dek(), AAD)));
      ReceivedRequest request = server.requests().getLast();
      assertEquals("/v1/transit/encrypt/keyfleet-main", request.path());
      TRACE.forEach((name, value) -> assertEquals(value, request.header(name)));
      assertEquals("uid-42", request.header("X-Correlation-Id"));
      assertEquals(TOKEN, request.header("X-Vault-Token"));
      assertTrue(
          request.body().startsWith("{\"key_version\":1,\"associated_data\":\"AQ==\""),
          request.body());
    }
  }

  @Test
  void foreignBytes_areRefusedWithoutACall() {
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(answerLoadsAnd(_ -> new ScriptedResponse(500, "")));
        KekProvider provider = open(server)) {
      Kek kek = kek(provider);
      int before = server.requests().size();
      for (String text :
          List.of("", "vault:v2:AAAA", "vault:v1:", "vault:v1:A\"A", "vault:v01:AAAA", "v1:AAAA")) {
        assertTrue(kek.unwrap(text.getBytes(StandardCharsets.UTF_8), AAD).isEmpty());
      }
      assertTrue(kek.unwrap(new byte[TransitCiphertext.MAX_BYTES + 1], AAD).isEmpty());
      assertEquals(before, server.requests().size());
    }
  }

  @Test
  void silentServer_isUnavailableWithinTheTotalTime() {
    String address = "http://127.0.0.1:" + OpenBaoServer.freePort();
    try (KekProvider provider = open(address, "")) {
      String message = assertThrows(KekUnavailableException.class, provider::load).getMessage();
      assertTrue(message.startsWith("vault " + address + " does not answer: "), message);
    }
  }

  @Test
  void badTokenFile_isRefusedWithItsRule() {
    try (ScriptedHttpServer server = ScriptedHttpServer.start(answerLoadsAnd(_ -> KEY));
        KekProvider provider = open(server)) {
      ProviderFixtures.file(folder.resolve("token"), "two words", "rw-------");
      assertTrue(refusal(provider::load).getMessage().contains("holds no token"));
      ProviderFixtures.file(folder.resolve("token"), TOKEN, "rw-r--r--");
      ProviderException refusal = refusal(provider::load);
      assertTrue(refusal.getMessage().contains("rw-r--r--"), refusal.getMessage());
      assertFalse(refusal.getMessage().contains(TOKEN));
    }
  }

  @Test
  void tls_needsTheAuthorityThatSignedTheServer() throws IOException, GeneralSecurityException {
    Path store = folder.resolve("server.p12");
    keytool("-genkeypair -keyalg EC -alias s -dname CN=s -ext san=ip:127.0.0.1 -validity 2", store);
    Path pem = folder.resolve("ca.pem");
    keytool("-exportcert -rfc -alias s -file " + pem, store);
    try (ScriptedHttpServer server =
        ScriptedHttpServer.start(answerLoadsAnd(_ -> KEY), context(store))) {
      String address = "https://127.0.0.1:" + server.port();
      try (KekProvider provider = open(address, "&ca-file=" + pem)) {
        assertEquals(List.of(1), ProviderFixtures.versions(provider.load()));
      }
      try (KekProvider provider = open(address, "")) {
        assertTrue(refusal(provider::load).remedy().contains("ca-file="));
      }
    }
    assertTrue(
        refusal(() -> open("https://127.0.0.1:1", "&ca-file=" + store))
            .getMessage()
            .contains("ca-file"));
  }

  private static void keytool(String arguments, Path store) throws IOException {
    Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    String all =
        "%s %s -keystore %s -storetype PKCS12 -storepass changeit"
            .formatted(tool, arguments, store);
    Process process =
        new ProcessBuilder(all.split(" ")).redirectErrorStream(true).inheritIO().start();
    assertEquals(0, process.onExit().join().exitValue());
  }

  private static SSLContext context(Path store) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, "changeit".toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, "changeit".toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }
}
