package keyfleet.providers.vault;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.providers.ProviderFixtures;

/// A real OpenBao on loopback, unsealed and with a Transit engine. Its data is in a folder of the
/// test. It ends when it is closed, or with this JVM.
public final class OpenBaoServer implements AutoCloseable {
  private static final String BINARY = System.getenv("KEYFLEET_TEST_OPENBAO");
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

  private static final String CONFIG_RULE =
      "path \\\"transit/keys/%1$s/config\\\" { capabilities = [\\\"update\\\"] }\n";

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path folder;
  private final int port;
  private final int clusterPort;
  private Process process;
  private String unsealKey = "";
  private String rootToken = "";

  private OpenBaoServer(Path folder) {
    this.folder = folder;
    this.port = freePort();
    this.clusterPort = freePort();
    this.process = startProcess();
    Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
  }

  public static OpenBaoServer start(Path folder) {
    assumeTrue(BINARY != null, "KEYFLEET_TEST_OPENBAO names no bao: ./dev test fetches one");
    OpenBaoServer server = new OpenBaoServer(folder);
    server.awaitResponse();
    server.initialise();
    return server;
  }

  private void initialise() {
    String response =
        send("PUT", "sys/init", "{\"secret_shares\":1,\"secret_threshold\":1}").body();
    unsealKey = field(response, "\"keys\":\\[\"([0-9a-f]+)\"");
    rootToken = field(response, "\"root_token\":\"([^\"]+)\"");
    unseal();
    callAsAdmin("POST", "sys/mounts/transit", "{\"type\":\"transit\"}");
  }

  public String address() {
    return "http://127.0.0.1:" + port;
  }

  String rootToken() {
    return rootToken;
  }

  /// Sends a request as administrator, and returns the response body.
  public String callAsAdmin(String method, String path, String json) {
    HttpResponse<String> response = send(method, path, json);
    assertTrue(response.statusCode() < 300, () -> path + " was answered with " + response.body());
    return response.body();
  }

  /// Rotates a Transit key, which adds a version.
  public void rotateKey(String key) {
    callAsAdmin("POST", "transit/keys/" + key + "/rotate", "{}");
  }

  private static String usePolicy(String key, String more) {
    String rules =
        """
        path \\"transit/keys/%1$s\\" { capabilities = [\\"read\\"] }
        path \\"transit/encrypt/%1$s\\" { capabilities = [\\"update\\"] }
        path \\"transit/decrypt/%1$s\\" { capabilities = [\\"update\\"] }
        """;
    return (rules + more).formatted(key).replace("\n", "\\n");
  }

  /// A token that may use one Transit key and nothing else; `options` are added to its creation.
  String createToken(String key, String options) {
    String policy = usePolicy(key, "");
    callAsAdmin("POST", "sys/policies/acl/use-" + key, "{\"policy\":\"" + policy + "\"}");
    String response =
        callAsAdmin(
            "POST",
            "auth/token/create",
            "{\"policies\":[\"use-%s\"],\"no_parent\":true%s}".formatted(key, options));
    return field(response, "\"client_token\":\"([^\"]+)\"");
  }

  /// Lets the tokens of a Transit key change its configuration too.
  public void allowConfig(String key) {
    callAsAdmin(
        "POST",
        "sys/policies/acl/use-" + key,
        "{\"policy\":\"" + usePolicy(key, CONFIG_RULE) + "\"}");
  }

  /// A new token in a file that only its owner can read.
  public Path createTokenFile(String key, String options) {
    return ProviderFixtures.file(
        folder.resolve("token-" + key), createToken(key, options) + "\n", "rw-------");
  }

  void seal() {
    callAsAdmin("PUT", "sys/seal", "{}");
  }

  void unseal() {
    String response = send("PUT", "sys/unseal", "{\"key\":\"" + unsealKey + "\"}").body();
    assertTrue(response.contains("\"sealed\":false"), response);
    await(() -> send("GET", "sys/health", "").statusCode() == 200); // until it is active, too
  }

  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /// Starts the server again; it is sealed.
  void restart() {
    process = startProcess();
    awaitResponse();
  }

  private Process startProcess() {
    String config =
        """
        storage "raft" {
          path = "%1$s/data"
          node_id = "one"
        }
        listener "tcp" {
          address = "127.0.0.1:%2$d"
          cluster_address = "127.0.0.1:%3$d"
          tls_disable = true
        }
        api_addr = "http://127.0.0.1:%2$d"
        cluster_addr = "https://127.0.0.1:%3$d"
        """
            .formatted(folder, port, clusterPort);
    try {
      Files.createDirectories(
          folder.resolve("data"),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Path file = Files.writeString(folder.resolve("bao.hcl"), config);
      return new ProcessBuilder(BINARY, "server", "-config=" + file)
          .redirectErrorStream(true)
          .redirectOutput(folder.resolve("bao.log").toFile())
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitResponse() {
    await(() -> {
      assertTrue(process.isAlive(), "bao ended: see bao.log");
      try {
        return request("GET", "sys/health", "").statusCode() > 0;
      } catch (IOException e) {
        return false;
      }
    });
  }

  /// Waits for the condition, with a limit.
  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "the condition was not met within " + START_TIMEOUT);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private HttpResponse<String> send(String method, String path, String json) {
    try {
      return request(method, path, json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HttpResponse<String> request(String method, String path, String json) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address() + "/v1/" + path))
            .header("X-Vault-Token", rootToken.isEmpty() ? "none" : rootToken)
            .timeout(START_TIMEOUT)
            .method(method, BodyPublishers.ofString(json))
            .build();
    try {
      return client.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String field(String json, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(json);
    assertTrue(matcher.find(), json);
    return matcher.group(1);
  }

  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
    client.close();
  }
}
