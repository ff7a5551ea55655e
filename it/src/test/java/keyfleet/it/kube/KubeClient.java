package keyfleet.it.kube;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// An administrator's HTTPS client for a kube-apiserver that creates its own certificate.
final class KubeClient {
  /// The administrator's token; the server lives only as long as the test.
  static final String TOKEN = "administrator-of-the-test";

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final String root;
  private final Path certs;
  private @Nullable HttpClient http;

  /// Trusts the certificate that the server will write into `certs`; the folder may still be empty.
  KubeClient(int port, Path certs) {
    this.root = "https://127.0.0.1:" + port;
    this.certs = certs;
  }

  /// Returns false also while no server listens.
  boolean isOk(String path) {
    try {
      // The key is written last.
      return Files.exists(certs.resolve("apiserver.key")) && get(path).statusCode() == 200;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  HttpResponse<String> get(String path) {
    return send(request(path).GET());
  }

  /// Accepts YAML, and therefore JSON.
  HttpResponse<String> post(String path, String yaml) {
    return send(
        request(path)
            .header("Content-Type", "application/yaml")
            .POST(HttpRequest.BodyPublishers.ofString(yaml)));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(root + path))
        .timeout(LIMIT)
        .header("Authorization", "Bearer " + TOKEN);
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return http().send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private HttpClient http() throws IOException {
    HttpClient known = http;
    if (known == null) {
      known = HttpClient.newBuilder().sslContext(trustOnly(certs.resolve("apiserver.crt"))).build();
      http = known;
    }
    return known;
  }

  private static SSLContext trustOnly(Path file) throws IOException {
    try (InputStream pem = Files.newInputStream(file)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        trusted.setCertificateEntry("apiserver-" + trusted.size(), one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
