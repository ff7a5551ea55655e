package keyfleet.providers.vault;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import keyfleet.providers.FileErrorText;
import keyfleet.providers.ProviderException;
import keyfleet.providers.RequestUid;
import keyfleet.providers.TraceHeaders;

/// Exchanges one HTTP request with the server within a given time. No redirects and no proxies: the
/// token goes only to the named server.
final class VaultHttpClient implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);
  private static final int MAX_RESPONSE_BYTES = 1 << 20;
  private static final int MAX_RETRY_AFTER_DIGITS = 6;

  private final VaultSettings settings;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient client;

  VaultHttpClient(VaultSettings settings) {
    this.settings = settings;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(Version.HTTP_1_1)
            .followRedirects(Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(CONNECT_TIMEOUT)
            .executor(threads);
    settings.caFileIfSet().ifPresent(file -> builder.sslContext(sslContext(file)));
    this.client = builder.build();
  }

  /// The response; the caller closes it. The limit covers the whole exchange, unlike the limit of
  /// the JDK client.
  VaultResponse exchange(VaultRequest request, String token, Duration limit)
      throws IOException, TimeoutException {
    HttpRequest httpRequest = toHttpRequest(request, token);
    // Not sendAsync, which completes on the common pool: that belongs to the application.
    Future<HttpResponse<byte[]>> pendingResponse =
        threads.submit(() ->
            client.send(
                httpRequest,
                BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_RESPONSE_BYTES)));
    try {
      HttpResponse<byte[]> response = pendingResponse.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      return new VaultResponse(
          response.statusCode(), retryAfter(response), JsonResponse.of(response.body()));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      pendingResponse.cancel(true);
    }
  }

  private HttpRequest toHttpRequest(VaultRequest request, String token) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(settings.address().resolve("/v1/" + request.path()))
            .header("X-Vault-Token", token)
            .header("X-Vault-Request", "true");
    if (settings.namespace() != null) {
      builder.header("X-Vault-Namespace", settings.namespace());
    }
    RequestUid.current().ifPresent(uid -> builder.header("X-Correlation-Id", uid));
    TraceHeaders.current().forEach(builder::header);
    return switch (request) {
      case VaultRequest.Read _ -> builder.GET().build();
      case VaultRequest.Write write ->
          builder
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofByteArray(write.body()))
              .build();
    };
  }

  /// In seconds. A date, which HTTP also allows, is ignored.
  private static Duration retryAfter(HttpResponse<?> response) {
    String text = response.headers().firstValue("Retry-After").orElse("");
    return text.matches("[0-9]{1," + MAX_RETRY_AFTER_DIGITS + "}")
        ? Duration.ofSeconds(Long.parseLong(text))
        : Duration.ZERO;
  }

  private static SSLContext sslContext(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate certificate : all) {
        store.setCertificateEntry("ca-" + number++, certificate);
      }
      if (number == 0) {
        throw new ProviderException(
            "ca-file " + file + " has no certificate in it", "name a file of certificates in PEM");
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new ProviderException(
          "ca-file %s cannot be read: %s"
              .formatted(
                  file,
                  e instanceof IOException it
                      ? FileErrorText.of(it)
                      : "it has a certificate that is damaged"),
          "name a file of certificates in PEM",
          e);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
    threads.shutdownNow();
  }
}
