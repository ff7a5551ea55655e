package keyfleet.mongodb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// TLS with the files that the URL names, and certificates made for this run.
final class MongoTlsTest {
  private static final String PASSWORD = "changeit";

  @TempDir private static Path folder;

  private static MongoServer server;

  @BeforeAll
  static void start() throws IOException, GeneralSecurityException, InterruptedException {
    keytool("server", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1");
    keytool("other", "CN=other", "-ext", "san=ip:127.0.0.1");
    keytool("elsewhere", "CN=elsewhere", "-ext", "san=dns:elsewhere.example");
    server = startServer("server");
  }

  @AfterAll
  static void stop() {
    server.shutdownNow();
  }

  @Test
  void trustedServer_isUsed() {
    try (MongoEngine engine = MongoEngine.open(url(server, "server"))) {
      Bucket things = new Bucket.Lasting("things");
      assertInstanceOf(
          Written.class, engine.kv().create(things, new Key("a"), Value.of("over TLS")));
    }
  }

  @Test
  void serverOfAnotherAuthority_isRefused() {
    StoreRefusedException refused =
        assertThrows(StoreRefusedException.class, () -> MongoEngine.open(url(server, "other")));
    assertTrue(refused.getMessage().startsWith("TLS with mongodb://"), refused::getMessage);
  }

  @Test
  void certificateOfAnotherHost_isRefused() throws IOException, GeneralSecurityException {
    MongoServer misnamed = startServer("elsewhere");
    try {
      assertThrows(StoreRefusedException.class, () -> MongoEngine.open(url(misnamed, "elsewhere")));
    } finally {
      misnamed.shutdownNow();
    }
  }

  @Test
  void ownCertificateAndKey_areRead() throws IOException, GeneralSecurityException {
    Path own = Files.writeString(folder.resolve("own.pem"), certificate("other") + key("other"));
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rw-r-----"));
    StoreUrl url =
        StoreUrl.parse(
            "mongodb://%s/tls?tls=true&tlsCAFile=%s&tlsCertificateKeyFile=%s"
                .formatted(MongoTestServers.hostOf(server), folder.resolve("server.pem"), own));
    assertThrows(StoreRefusedException.class, () -> MongoEngine.open(url));
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rw-------"));
    MongoEngine.open(url).close();
    Files.writeString(own, certificate("other"));
    assertThrows(StoreRefusedException.class, () -> MongoEngine.open(url));
  }

  private static StoreUrl url(MongoServer to, String authority) {
    return StoreUrl.parse(
        "mongodb://%s/tls?tls=true&tlsCAFile=%s"
            .formatted(MongoTestServers.hostOf(to), folder.resolve(authority + ".pem")));
  }

  private static MongoServer startServer(String name) throws IOException, GeneralSecurityException {
    PrivateKey key = (PrivateKey) keys(name).getKey("own", PASSWORD.toCharArray());
    X509Certificate certificate = (X509Certificate) keys(name).getCertificate("own");
    return MongoTestServers.start(
        new MemoryBackend(), server -> server.enableSsl(key, null, certificate));
  }

  private static void keytool(String name, String... more)
      throws IOException, InterruptedException, GeneralSecurityException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(
        List.of(
            "-genkeypair",
            "-alias",
            "own",
            "-keyalg",
            "EC",
            "-validity",
            "2",
            "-storetype",
            "PKCS12",
            "-storepass",
            PASSWORD,
            "-keystore"));
    command.add(folder.resolve(name + ".p12").toString());
    command.addAll(List.of("-dname", more[0]));
    command.addAll(List.of(more).subList(1, more.length));
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue());
    Files.writeString(folder.resolve(name + ".pem"), certificate(name));
  }

  private static KeyStore keys(String name) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(folder.resolve(name + ".p12"))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private static String certificate(String name) throws IOException, GeneralSecurityException {
    return pem("CERTIFICATE", keys(name).getCertificate("own").getEncoded());
  }

  private static String key(String name) throws IOException, GeneralSecurityException {
    return pem("PRIVATE KEY", keys(name).getKey("own", PASSWORD.toCharArray()).getEncoded());
  }

  private static String pem(String kind, byte[] encoded) {
    String text = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(encoded);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, text, kind);
  }
}
