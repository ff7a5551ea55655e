package keyfleet.nats;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.PrivateFile;
import keyfleet.store.host.TlsFiles;
import org.jspecify.annotations.Nullable;

/// The TLS settings of a URL: the trusted authorities and the client's certificate, from PEM files.
final class NatsTls {
  private final StoreUrl url;

  NatsTls(StoreUrl url) {
    this.url = url;
  }

  /// Any TLS parameter requests TLS: an operator who names a file relies on its being used.
  boolean isRequested() {
    boolean named =
        List.of("tls-ca", "tls-cert", "tls-key").stream()
            .anyMatch(it -> url.parameter(it).isPresent());
    return switch (url.parameter("tls").orElse(Boolean.toString(named))) {
      case "true" -> true;
      case "false" -> named ? refuseContradiction() : false;
      default -> throw refused("tls must be true or false", "?tls=true", null);
    };
  }

  SSLContext createContext() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keyManagers(), trustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw refused(
          "TLS could not be set up: " + e.getMessage(), "check tls-ca, tls-cert and tls-key", e);
    }
  }

  private TrustManager[] trustManagers() throws GeneralSecurityException, IOException {
    TrustManager[] managers =
        url.parameter("tls-ca").isEmpty()
            ? TlsFiles.defaultTrustManagers()
            : TlsFiles.trustManagers(readCertificates("tls-ca"));
    for (TrustManager manager : managers) {
      if (manager instanceof X509ExtendedTrustManager trust) {
        return new TrustManager[] {new NatsHostnameVerifier(trust)};
      }
    }
    throw new GeneralSecurityException("this JDK has no X.509 trust manager");
  }

  private KeyManager @Nullable [] keyManagers() throws GeneralSecurityException, IOException {
    return url.parameter("tls-cert").isEmpty() && url.parameter("tls-key").isEmpty()
        ? null
        : TlsFiles.keyManagers(readPrivateKey(), readCertificates("tls-cert"));
  }

  private List<Certificate> readCertificates(String parameter) throws IOException {
    byte[] pem = Files.readAllBytes(file(parameter));
    try {
      return TlsFiles.parseCertificates(pem);
    } catch (CertificateException e) {
      throw refused(
          parameter + " " + file(parameter) + " contains no certificate", "name a PEM file", e);
    }
  }

  private PrivateKey readPrivateKey() throws GeneralSecurityException {
    return TlsFiles.consumePrivateKey(new PrivateFile("tls-key", file("tls-key")).readBytes())
        .orElseThrow(() ->
            refused(
                "tls-key contains no PKCS #8 private key",
                "openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW",
                null));
  }

  private Path file(String parameter) {
    return Path.of(
        url.parameter(parameter)
            .orElseThrow(() ->
                refused(
                    "tls-cert and tls-key must be given together", "name both, or neither", null)));
  }

  private static boolean refuseContradiction() {
    throw refused("tls=false, but the URL names TLS files", "remove tls=false", null);
  }

  private static StoreRefusedException refused(
      String sentence, String remedy, @Nullable Throwable cause) {
    return cause == null
        ? new StoreRefusedException(sentence, remedy)
        : new StoreRefusedException(sentence, remedy, cause);
  }
}
