package keyfleet.it.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.it.process.Await;
import keyfleet.it.process.ExternalProgram;
import keyfleet.it.process.TestProcess;

/// A real kube-apiserver on loopback with an EncryptionConfiguration.
final class KubeApiServer implements AutoCloseable {
  private static final String SECRETS = "/api/v1/namespaces/default/secrets";
  private static final Pattern TEXT = Pattern.compile("\"text\": ?\"([^\"]*)\"");

  private final Path folder;
  private final List<String> command;
  private final KubeClient client;
  private TestProcess process;

  KubeApiServer(Path folder, EtcdServer etcd, Path encryption) {
    this.folder = folder;
    int port = ExternalProgram.freePort();
    this.command = command(folder, port, etcd, encryption);
    this.client = new KubeClient(port, folder.resolve("certs"));
    this.process = startServer();
  }

  private static List<String> command(Path folder, int port, EtcdServer etcd, Path encryption) {
    ServerIdentity identity = ServerIdentity.create(folder);
    return List.of(
        ExternalProgram.KUBE_APISERVER.path(),
        "--etcd-servers=" + etcd.url(),
        "--cert-dir=" + folder.resolve("certs"),
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--secure-port=" + port,
        "--service-cluster-ip-range=10.0.0.0/24",
        "--service-account-issuer=https://127.0.0.1:" + port,
        "--service-account-key-file=" + identity.verifying(),
        "--service-account-signing-key-file=" + identity.signing(),
        "--authorization-mode=RBAC",
        "--token-auth-file=" + identity.tokens(),
        "--disable-admission-plugins=ServiceAccount",
        "--endpoint-reconciler-type=none",
        "--encryption-provider-config=" + encryption,
        "--encryption-provider-config-automatic-reload=true");
  }

  /// The files by which an API server authenticates its callers.
  private record ServerIdentity(Path signing, Path verifying, Path tokens) {
    static ServerIdentity create(Path folder) {
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair pair = generator.generateKeyPair();
        return new ServerIdentity(
            pem(folder.resolve("sa.key"), "PRIVATE KEY", pair.getPrivate()),
            pem(folder.resolve("sa.pub"), "PUBLIC KEY", pair.getPublic()),
            Files.writeString(
                folder.resolve("tokens.csv"), KubeClient.TOKEN + ",admin,1,system:masters\n"));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static Path pem(Path file, String kind, Key key) throws IOException {
      String body = Base64.getMimeEncoder().encodeToString(key.getEncoded());
      return Files.writeString(
          file, "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(kind, body));
    }
  }

  /// Returns when the server answers, healthy or not.
  private TestProcess startServer() {
    TestProcess server = TestProcess.startCommand(folder, "kube-apiserver", Map.of(), command);
    Await.until(
        "kube-apiserver is alive",
        () -> {
          assertTrue(server.isAlive(), server::output);
          return client.isOk("/livez");
        },
        server::output);
    return server;
  }

  /// SIGKILL, then a restart without cached keys.
  void restart() {
    process.kill();
    process = startServer();
  }

  void awaitReady() {
    Await.until(
        "kube-apiserver is ready",
        () -> client.isOk("/readyz") && client.isOk("/api/v1/namespaces/default"),
        process::output);
  }

  /// Whether the API server reports its plugin as healthy.
  boolean hasHealthyPlugin() {
    return client.isOk("/readyz/kms-providers");
  }

  void put(String name, String text) {
    String body =
        """
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "%s"}, "stringData": {"text": "%s"}}
        """
            .formatted(name, text);
    HttpResponse<String> answer = client.post(SECRETS, body);
    assertEquals(201, answer.statusCode(), answer::body);
  }

  String get(String name) {
    HttpResponse<String> answer = client.get(SECRETS + "/" + name);
    assertEquals(200, answer.statusCode(), answer::body);
    Matcher text = TEXT.matcher(answer.body());
    assertTrue(text.find(), answer::body);
    return new String(Base64.getDecoder().decode(text.group(1)), UTF_8);
  }

  /// Checks that the server accepts the pod, without unknown fields, by a dry run.
  void dryRunPod(String pod) {
    HttpResponse<String> answer =
        client.post("/api/v1/namespaces/kube-system/pods?dryRun=All&fieldValidation=Strict", pod);
    assertEquals(201, answer.statusCode(), answer::body);
  }

  String output() {
    return process.output();
  }

  @Override
  public void close() {
    process.close();
  }
}
