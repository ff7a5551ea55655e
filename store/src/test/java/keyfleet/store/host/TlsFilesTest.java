package keyfleet.store.host;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;
import keyfleet.store.TestCertificates;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsFilesTest {
  @TempDir private static Path folder;
  private static byte[] authority = {};
  private static byte[] certificate = {};
  private static byte[] key = {};

  @BeforeAll
  static void createCertificates() throws IOException {
    TestCertificates certificates = new TestCertificates(folder, "ours").sign("own", "DNS:own");
    authority = Files.readAllBytes(certificates.authority());
    certificate = Files.readAllBytes(certificates.certificate("own"));
    key = Files.readAllBytes(certificates.key("own"));
  }

  @ParameterizedTest
  @CsvSource({"RSA", "EC", "Ed25519"})
  void keyInPkcs8_isParsedAndItsBytesAreOverwritten(String algorithm)
      throws GeneralSecurityException {
    PrivateKey expected = KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
    byte[] pem = pem("PRIVATE KEY", expected.getEncoded());
    assertEquals(Optional.of(expected), TlsFiles.consumePrivateKey(pem));
    assertArrayEquals(new byte[pem.length], pem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "CERTIFICATE"})
  void fileWithoutKeyInPkcs8_hasNone(String kind) throws GeneralSecurityException {
    assertEquals(Optional.empty(), TlsFiles.consumePrivateKey(pem(kind, new byte[16])));
  }

  @Test
  void keyThatCannotBeParsed_isRefusedAndOverwritten() {
    for (byte[] pem :
        List.of(
            pem("PRIVATE KEY", new byte[16]),
            "-----BEGIN PRIVATE KEY-----A-----END PRIVATE KEY-----".getBytes(US_ASCII))) {
      assertThrows(GeneralSecurityException.class, () -> TlsFiles.consumePrivateKey(pem));
      assertArrayEquals(new byte[pem.length], pem);
    }
  }

  @Test
  void certificates_areParsedInOrderAndWithoutTheKeyBetweenThem() throws GeneralSecurityException {
    List<Certificate> found = TlsFiles.parseCertificates(concatenate(certificate, key, authority));
    assertEquals(
        List.of("CN=own", "CN=ours"),
        found.stream()
            .map(it -> assertInstanceOf(X509Certificate.class, it))
            .map(it -> it.getSubjectX500Principal().getName())
            .toList());
  }

  @Test
  void fileWithoutCertificate_isRefused() {
    for (byte[] pem : List.of(key, new byte[0], pem("CERTIFICATE", new byte[16]))) {
      assertThrows(CertificateException.class, () -> TlsFiles.parseCertificates(pem));
    }
  }

  @Test
  void trustManagers_trustOnlyTheAuthoritiesOfTheFile() throws GeneralSecurityException {
    List<Certificate> trusted = TlsFiles.parseCertificates(authority);
    X509TrustManager manager =
        assertInstanceOf(X509TrustManager.class, TlsFiles.trustManagers(trusted)[0]);
    assertEquals(trusted, List.of(manager.getAcceptedIssuers()));
    X509TrustManager jdk =
        assertInstanceOf(X509TrustManager.class, TlsFiles.defaultTrustManagers()[0]);
    X509Certificate[] chain = {
      assertInstanceOf(X509Certificate.class, TlsFiles.parseCertificates(certificate).getFirst())
    };
    manager.checkServerTrusted(chain, "RSA");
    assertThrows(CertificateException.class, () -> jdk.checkServerTrusted(chain, "RSA"));
  }

  @Test
  void keyManagers_presentTheKeyAndItsChain() throws GeneralSecurityException {
    List<Certificate> chain = TlsFiles.parseCertificates(concatenate(certificate, authority));
    PrivateKey own = TlsFiles.consumePrivateKey(key.clone()).orElseThrow();
    X509ExtendedKeyManager manager =
        assertInstanceOf(X509ExtendedKeyManager.class, TlsFiles.keyManagers(own, chain)[0]);
    String alias = manager.chooseClientAlias(new String[] {"RSA"}, null, null);
    assertEquals(own, manager.getPrivateKey(alias));
    assertEquals(chain, List.of(manager.getCertificateChain(alias)));
  }

  private static byte[] pem(String kind, byte[] encoded) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(kind, Base64.getMimeEncoder().encodeToString(encoded), kind)
        .getBytes(US_ASCII);
  }

  private static byte[] concatenate(byte[]... files) {
    StringBuilder all = new StringBuilder();
    for (byte[] file : files) {
      all.append(new String(file, US_ASCII));
    }
    return all.toString().getBytes(US_ASCII);
  }
}
