package keyfleet.mongodb;

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
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.PrivateFile;
import org.jspecify.annotations.Nullable;

/// TLS settings from PEM files: trusted CAs and the client certificate. Host names are always
/// checked.
final class MongoTls {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----", Pattern.DOTALL);
  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");

  private MongoTls() {}

  static Optional<SSLContext> context(StoreUrl url) {
    boolean isEnabled =
        switch (url.parameter("tls").orElse("false")) {
          case "true" -> true;
          case "false" -> false;
          default -> throw refusal("tls must be true or false", null);
        };
    if (!isEnabled
        && url.parameter("tlsCAFile")
            .or(() -> url.parameter("tlsCertificateKeyFile"))
            .isPresent()) {
      throw refusal("the store's URL names TLS files but not tls=true", null);
    }
    return isEnabled ? Optional.of(build(url)) : Optional.empty();
  }

  private static SSLContext build(StoreUrl url) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          keyManagers(url.parameter("tlsCertificateKeyFile").orElse("")),
          trustManagers(url.parameter("tlsCAFile").orElse("")),
          null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw refusal("a PEM file of the store's URL cannot be used", e);
    }
  }

  /// Without a file, the CAs that the JDK trusts.
  private static TrustManager @Nullable [] trustManagers(String caFile)
      throws GeneralSecurityException, IOException {
    if (caFile.isEmpty()) {
      return null;
    }
    KeyStore authorities = emptyKeyStore();
    int number = 0;
    for (Certificate certificate : parseCertificates(read(caFile))) {
      authorities.setCertificateEntry("authority " + number++, certificate);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(authorities);
    return trust.getTrustManagers();
  }

  private static KeyManager @Nullable [] keyManagers(String keyFile)
      throws GeneralSecurityException, IOException {
    if (keyFile.isEmpty()) {
      return null;
    }
    byte[] pem = new PrivateFile("tlsCertificateKeyFile", keyFile).readBytes();
    KeyStore own = emptyKeyStore();
    Certificate[] chain = parseCertificates(pem).toArray(Certificate[]::new);
    own.setKeyEntry("own", parseKey(new String(pem, US_ASCII)), new char[0], chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, new char[0]);
    return keys.getKeyManagers();
  }

  private static PrivateKey parseKey(String pem) throws GeneralSecurityException {
    Matcher key = KEY.matcher(pem);
    if (!key.find()) {
      throw new InvalidKeySpecException("no PKCS#8 private key");
    }
    var encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key.group(1)));
    for (String algorithm : ALGORITHMS) {
      Optional<PrivateKey> found = parseKey(algorithm, encoded);
      if (found.isPresent()) {
        return found.get();
      }
    }
    throw new InvalidKeySpecException("a private key must be one of " + ALGORITHMS);
  }

  private static Optional<PrivateKey> parseKey(String algorithm, PKCS8EncodedKeySpec encoded)
      throws GeneralSecurityException {
    try {
      return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(encoded));
    } catch (InvalidKeySpecException e) {
      return Optional.empty();
    }
  }

  private static Collection<? extends Certificate> parseCertificates(byte[] pem)
      throws GeneralSecurityException {
    Collection<? extends Certificate> found =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(withoutKey(pem)));
    if (found.isEmpty()) {
      throw new CertificateException("no certificate");
    }
    return found;
  }

  private static byte[] withoutKey(byte[] pem) {
    return KEY.matcher(new String(pem, US_ASCII)).replaceAll("").getBytes(US_ASCII);
  }

  private static byte[] read(String file) throws IOException {
    return Files.readAllBytes(Path.of(file));
  }

  private static KeyStore emptyKeyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }

  private static StoreRefusedException refusal(String sentence, @Nullable Throwable cause) {
    String remedy =
        "tls=true&tlsCAFile=ca.pem, and tlsCertificateKeyFile=own.pem if the server requires it";
    return cause == null
        ? new StoreRefusedException(sentence, remedy)
        : new StoreRefusedException(sentence, remedy, cause);
  }
}
