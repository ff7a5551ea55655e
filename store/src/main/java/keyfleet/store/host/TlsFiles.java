package keyfleet.store.host;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// Certificates and private keys in PEM files, and the managers that TLS needs for them. No part of
/// a private key becomes a `String`, and the buffers that contained it are overwritten.
public final class TlsFiles {
  private static final Pattern PRIVATE_KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----", Pattern.DOTALL);
  private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "Ed25519");
  private static final char[] NO_PASSWORD = {};

  private TlsFiles() {}

  /// Parses one or more certificates; a private key in the same file is ignored.
  public static List<Certificate> parseCertificates(byte[] pem) throws CertificateException {
    byte[] withoutKeys = pem.clone();
    CharBuffer text = ISO_8859_1.decode(ByteBuffer.wrap(pem));
    PRIVATE_KEY
        .matcher(text)
        .results()
        .forEach(it -> Arrays.fill(withoutKeys, it.start(), it.end(), (byte) '\n'));
    Arrays.fill(text.array(), '\0');
    List<Certificate> found =
        List.copyOf(
            CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(withoutKeys)));
    if (found.isEmpty()) {
      throw new CertificateException("no certificate");
    }
    return found;
  }

  /// Parses the private key and overwrites `pem`. The result is empty if there is no key in PKCS
  /// #8.
  public static Optional<PrivateKey> consumePrivateKey(byte[] pem) throws GeneralSecurityException {
    CharBuffer text = ISO_8859_1.decode(ByteBuffer.wrap(pem));
    try {
      Matcher key = PRIVATE_KEY.matcher(text);
      return key.find()
          ? Optional.of(parseKey(Arrays.copyOfRange(pem, key.start(1), key.end(1))))
          : Optional.empty();
    } finally {
      Arrays.fill(text.array(), '\0');
      Arrays.fill(pem, (byte) 0);
    }
  }

  /// Managers that trust these authorities and no others.
  public static TrustManager[] trustManagers(List<Certificate> authorities)
      throws GeneralSecurityException {
    KeyStore store = emptyKeyStore();
    for (int i = 0; i < authorities.size(); i++) {
      store.setCertificateEntry("ca" + i, authorities.get(i));
    }
    return trustManagersOf(store);
  }

  /// Managers that trust the authorities of the JDK.
  public static TrustManager[] defaultTrustManagers() throws GeneralSecurityException {
    return trustManagersOf(null);
  }

  /// Managers that present this key and its certificates.
  public static KeyManager[] keyManagers(PrivateKey key, List<Certificate> chain)
      throws GeneralSecurityException {
    KeyStore store = emptyKeyStore();
    store.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NO_PASSWORD);
    return factory.getKeyManagers();
  }

  private static PrivateKey parseKey(byte[] base64) throws GeneralSecurityException {
    byte[] der = {};
    try {
      der = Base64.getMimeDecoder().decode(base64);
      return parseKey(new PKCS8EncodedKeySpec(der));
    } catch (IllegalArgumentException e) {
      throw new InvalidKeySpecException("the private key is not valid base64", e);
    } finally {
      Arrays.fill(base64, (byte) 0);
      Arrays.fill(der, (byte) 0);
    }
  }

  private static PrivateKey parseKey(PKCS8EncodedKeySpec encoded) throws GeneralSecurityException {
    GeneralSecurityException failure =
        new InvalidKeySpecException("a private key must be one of " + KEY_ALGORITHMS);
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
      } catch (InvalidKeySpecException e) {
        failure.addSuppressed(e);
      }
    }
    throw failure;
  }

  private static TrustManager[] trustManagersOf(@Nullable KeyStore store)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static KeyStore emptyKeyStore() throws GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try {
      store.load(null, NO_PASSWORD);
    } catch (IOException e) {
      throw new GeneralSecurityException(e); // nothing is read
    }
    return store;
  }
}
