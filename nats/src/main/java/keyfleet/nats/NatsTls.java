package keyfleet.nats;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.PrivateFile;
import org.jspecify.annotations.Nullable;

/// The TLS settings of a URL: the trusted authorities and the client's certificate, from PEM files.
final class NatsTls {
  private static final Pattern PRIVATE_KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
  private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "Ed25519");
  private static final char[] NO_PASSWORD = {};

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
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(url.parameter("tls-ca").isEmpty() ? null : trustStore(readCertificates("tls-ca")));
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509ExtendedTrustManager trust) {
        return new TrustManager[] {new NatsHostnameVerifier(trust)};
      }
    }
    throw new GeneralSecurityException("this JDK has no X.509 trust manager");
  }

  private KeyManager @Nullable [] keyManagers() throws GeneralSecurityException, IOException {
    if (url.parameter("tls-cert").isEmpty() && url.parameter("tls-key").isEmpty()) {
      return null;
    }
    KeyStore store = emptyKeyStore();
    store.setKeyEntry(
        "self",
        readPrivateKey(),
        NO_PASSWORD,
        readCertificates("tls-cert").toArray(Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NO_PASSWORD);
    return factory.getKeyManagers();
  }

  private Collection<? extends Certificate> readCertificates(String parameter)
      throws GeneralSecurityException, IOException {
    byte[] pem = Files.readAllBytes(file(parameter));
    Collection<? extends Certificate> found =
        CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
    if (found.isEmpty()) {
      throw refused(
          parameter + " " + file(parameter) + " contains no certificate", "name a PEM file", null);
    }
    return found;
  }

  private PrivateKey readPrivateKey() throws GeneralSecurityException {
    byte[] pem = new PrivateFile("tls-key", file("tls-key")).readBytes();
    Matcher matcher = PRIVATE_KEY.matcher(new String(pem, US_ASCII));
    if (!matcher.find()) {
      throw refused(
          "tls-key contains no PKCS #8 private key",
          "openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW",
          null);
    }
    byte[] der = Base64.getMimeDecoder().decode(matcher.group(1));
    try {
      return parsePrivateKey(new PKCS8EncodedKeySpec(der));
    } finally {
      Arrays.fill(pem, (byte) 0);
      Arrays.fill(der, (byte) 0);
    }
  }

  private static PrivateKey parsePrivateKey(PKCS8EncodedKeySpec spec)
      throws GeneralSecurityException {
    GeneralSecurityException last =
        new GeneralSecurityException("tls-key is not a key of " + KEY_ALGORITHMS);
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        last.addSuppressed(e);
      }
    }
    throw last;
  }

  private static KeyStore trustStore(Collection<? extends Certificate> trusted)
      throws GeneralSecurityException, IOException {
    KeyStore store = emptyKeyStore();
    int number = 0;
    for (Certificate certificate : trusted) {
      store.setCertificateEntry("ca" + number++, certificate);
    }
    return store;
  }

  private static KeyStore emptyKeyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    return store;
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
