package keyfleet.mongodb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.spec.InvalidKeySpecException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.PrivateFile;
import keyfleet.store.host.TlsFiles;
import org.jspecify.annotations.Nullable;

/// TLS settings from PEM files: trusted CAs and the client certificate. Host names are always
/// checked.
final class MongoTls {
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
  private static TrustManager[] trustManagers(String caFile)
      throws GeneralSecurityException, IOException {
    return caFile.isEmpty()
        ? TlsFiles.defaultTrustManagers()
        : TlsFiles.trustManagers(TlsFiles.parseCertificates(Files.readAllBytes(Path.of(caFile))));
  }

  private static KeyManager @Nullable [] keyManagers(String keyFile)
      throws GeneralSecurityException {
    if (keyFile.isEmpty()) {
      return null;
    }
    byte[] pem = new PrivateFile("tlsCertificateKeyFile", keyFile).readBytes();
    List<Certificate> chain = TlsFiles.parseCertificates(pem);
    PrivateKey key =
        TlsFiles.consumePrivateKey(pem)
            .orElseThrow(() -> new InvalidKeySpecException("no PKCS#8 private key"));
    return TlsFiles.keyManagers(key, chain);
  }

  private static StoreRefusedException refusal(String sentence, @Nullable Throwable cause) {
    String remedy =
        "tls=true&tlsCAFile=ca.pem, and tlsCertificateKeyFile=own.pem if the server requires it";
    return cause == null
        ? new StoreRefusedException(sentence, remedy)
        : new StoreRefusedException(sentence, remedy, cause);
  }
}
