package keyfleet.it.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ScriptedHttpServer;
import keyfleet.providers.ScriptedHttpServer.ReceivedRequest;
import keyfleet.providers.ScriptedHttpServer.ScriptedResponse;
import keyfleet.providers.SystemTicker;

/// A fake Transit engine that records its requests, and wraps a key by adding a prefix.
final class FakeTransit implements AutoCloseable {
  static final String TOKEN = "token-that-must-stay-secret";

  private static final Pattern PLAINTEXT = Pattern.compile("\"plaintext\":\"([^\"]*)\"");
  private static final Pattern CIPHERTEXT = Pattern.compile("\"ciphertext\":\"vault:v1:([^\"]*)\"");

  private final ScriptedHttpServer server = ScriptedHttpServer.start(FakeTransit::answer);

  private static ScriptedResponse answer(ReceivedRequest request) {
    if (request.path().contains("/keys/")) {
      return new ScriptedResponse(
          200, "{\"data\":{\"type\":\"aes256-gcm96\",\"keys\":{\"1\":1700000000}}}");
    }
    if (request.path().contains("/encrypt/")) {
      String key = match(PLAINTEXT, request.body());
      return new ScriptedResponse(200, "{\"data\":{\"ciphertext\":\"vault:v1:" + key + "\"}}");
    }
    if (request.path().contains("/decrypt/")) {
      String key = match(CIPHERTEXT, request.body());
      return new ScriptedResponse(200, "{\"data\":{\"plaintext\":\"" + key + "\"}}");
    }
    return new ScriptedResponse(404, "{}");
  }

  private static String match(Pattern pattern, String body) {
    Matcher matcher = pattern.matcher(body);
    if (!matcher.find()) {
      throw new IllegalStateException("nothing to wrap or unwrap");
    }
    return matcher.group(1);
  }

  KekProvider provider(KeyringName keyring, Path folder) throws IOException {
    Path token = folder.resolve("token");
    Files.writeString(token, TOKEN);
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    return ProviderSpec.parse(
            "vault:http://127.0.0.1:%d?token-file=%s".formatted(server.port(), token))
        .open(
            keyring,
            new ProviderSpec.ProviderContext(Map.of(), new SecureRandom(), new SystemTicker()));
  }

  /// The requests for an operation such as `encrypt`.
  List<ReceivedRequest> requestsFor(String operation) {
    return server.requests().stream()
        .filter(it -> it.path().contains("/" + operation + "/"))
        .toList();
  }

  @Override
  public void close() {
    server.close();
  }
}
