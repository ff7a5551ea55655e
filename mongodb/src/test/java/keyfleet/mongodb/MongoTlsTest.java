package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import keyfleet.store.Key;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.TestCertificates;
import keyfleet.store.Value;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.TlsFiles;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// TLS with the files that the URL names, and certificates made for this run.
final class MongoTlsTest {
  @TempDir private static Path folder;

  private static TestCertificates trusted;
  private static TestCertificates other;
  private static MongoServer server;

  @BeforeAll
  static void start() throws IOException, GeneralSecurityException {
    trusted =
        new TestCertificates(folder, "trusted")
            .sign("server", "IP:127.0.0.1")
            .sign("elsewhere", "DNS:elsewhere.example")
            .sign("own", "DNS:own");
    other = new TestCertificates(folder, "other");
    server = startServer("server");
  }

  @AfterAll
  static void stop() {
    server.shutdownNow();
  }

  @Test
  void trustedServer_isUsed() {
    try (MongoEngine engine = MongoEngine.open(url(server, trusted))) {
      assertWritten(engine.kv().create(THINGS, new Key("a"), Value.of("over TLS")));
    }
  }

  @Test
  void serverOfAnotherAuthority_isRefused() {
    StoreRefusedException refused =
        assertThrows(StoreRefusedException.class, () -> MongoEngine.open(url(server, other)));
    assertTrue(refused.getMessage().startsWith("TLS with mongodb://"), refused::getMessage);
  }

  @Test
  void certificateOfAnotherHost_isRefused() throws IOException, GeneralSecurityException {
    MongoServer misnamed = startServer("elsewhere");
    try {
      assertThrows(StoreRefusedException.class, () -> MongoEngine.open(url(misnamed, trusted)));
    } finally {
      misnamed.shutdownNow();
    }
  }

  @Test
  void ownCertificateAndKey_areRead() throws IOException {
    String certificate = Files.readString(trusted.certificate("own"));
    Path own =
        Files.writeString(
            folder.resolve("own.pem"), certificate + Files.readString(trusted.key("own")));
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rw-r-----"));
    StoreUrl url =
        StoreUrl.parse(
            "mongodb://%s/tls?tls=true&tlsCAFile=%s&tlsCertificateKeyFile=%s"
                .formatted(MongoTestServers.hostOf(server), trusted.authority(), own));
    assertThrows(StoreRefusedException.class, () -> MongoEngine.open(url));
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rw-------"));
    MongoEngine.open(url).close();
    Files.writeString(own, certificate);
    assertThrows(StoreRefusedException.class, () -> MongoEngine.open(url));
  }

  private static StoreUrl url(MongoServer to, TestCertificates authority) {
    return StoreUrl.parse(
        "mongodb://%s/tls?tls=true&tlsCAFile=%s"
            .formatted(MongoTestServers.hostOf(to), authority.authority()));
  }

  private static MongoServer startServer(String name) throws IOException, GeneralSecurityException {
    PrivateKey key =
        TlsFiles.consumePrivateKey(Files.readAllBytes(trusted.key(name))).orElseThrow();
    X509Certificate certificate =
        (X509Certificate)
            TlsFiles.parseCertificates(Files.readAllBytes(trusted.certificate(name))).getFirst();
    return MongoTestServers.start(
        new MemoryBackend(), server -> server.enableSsl(key, null, certificate));
  }
}
