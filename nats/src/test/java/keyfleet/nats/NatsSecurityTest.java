package keyfleet.nats;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nats.client.NKey;
import io.nats.client.support.JsonSerializable;
import io.nats.client.support.JwtUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import keyfleet.store.Key;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.TestCertificates;
import keyfleet.store.Value;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Authentication, and TLS in both directions.
class NatsSecurityTest {
  /// The claims of an account; the last two limit its JetStream storage.
  private static final String ACCOUNT =
      "{\"type\":\"account\",\"version\":2,\"limits\":{\"subs\":-1,\"data\":-1,\"payload\":-1,\"imports\":-1,"
          + "\"exports\":-1,\"wildcards\":true,\"conn\":-1,\"leaf\":-1,\"mem_storage\":%1$d,\"disk_storage\":%1$d}}";

  @TempDir(factory = InMemoryTempDir.class)
  Path folder;

  @Test
  void passwordByUrlOrFile_opens() throws IOException {
    try (NatsTestServer server = startServer("authorization { user: kf, password: \"s3cret\" }")) {
      assertOpens(urlAs("kf:s3cret@", server, ""));
      assertOpens(
          urlAs(
              "kf@", server, "&password-file=" + writeSecret("password", "s3cret\n", "rw-------")));
    }
  }

  @Test
  void wrongPassword_isRefusedAndNotPrinted() {
    try (NatsTestServer server = startServer("authorization { user: kf, password: \"s3cret\" }")) {
      assertRefused("refused the login", urlAs("kf:wr0ng@", server, ""));
    }
  }

  @Test
  void secretFileThatOthersMayRead_isRefused() throws IOException {
    try (NatsTestServer server = startServer("authorization { user: kf, password: \"s3cret\" }")) {
      Path open = writeSecret("password", "s3cret", "rw-r--r--");
      assertRefused("has mode rw-r--r--", urlAs("kf@", server, "&password-file=" + open));
      assertRefused(
          "does not exist", urlAs("kf@", server, "&password-file=" + folder.resolve("none")));
    }
  }

  @Test
  void token_opens() throws IOException {
    try (NatsTestServer server = startServer("authorization { token: \"t0ken\" }")) {
      assertOpens(urlAs("", server, "&token-file=" + writeSecret("token", "t0ken", "r--------")));
    }
  }

  @Test
  void nkey_opens() throws IOException, GeneralSecurityException {
    NKey user = NKey.createUser(new SecureRandom());
    try (NatsTestServer server =
        startServer("authorization { users: [ { nkey: %s } ] }".formatted(publicKeyOf(user)))) {
      assertOpens(
          urlAs(
              "", server, "&nkey=" + writeSecret("seed", new String(user.getSeed()), "r--------")));
    }
  }

  @Test
  void credentialsOfAnAccount_open() throws IOException, GeneralSecurityException {
    SecureRandom random = new SecureRandom();
    NKey operator = NKey.createOperator(random);
    NKey account = NKey.createAccount(random);
    NKey system = NKey.createAccount(random);
    NKey user = NKey.createUser(random);
    String jwt = JwtUtils.issueUserJWT(account, publicKeyOf(account), publicKeyOf(user));
    String creds = JwtUtils.NATS_USER_JWT_FORMAT.formatted(jwt, new String(user.getSeed()));
    try (NatsTestServer server =
        startServer(
            "operator: " + issueToken(operator, operator, "{\"type\":\"operator\",\"version\":2}"),
            "system_account: " + publicKeyOf(system),
            "resolver: MEMORY",
            "resolver_preload { %s: %s, %s: %s }"
                .formatted(
                    publicKeyOf(account),
                    issueToken(operator, account, ACCOUNT.formatted(-1)),
                    publicKeyOf(system),
                    issueToken(operator, system, ACCOUNT.formatted(0))))) {
      assertOpens(urlAs("", server, "&creds=" + writeSecret("creds", creds, "r--------")));
    }
  }

  @Test
  void tls_acceptsOnlyTrustedServers() {
    TestCertificates trusted = new TestCertificates(folder, "ours");
    TestCertificates untrusted = new TestCertificates(folder, "stranger");
    try (NatsTestServer server =
        startServer(tlsConfiguration(trusted.sign("server", "DNS:localhost,IP:127.0.0.1")))) {
      assertOpens(urlAs("", server, "&tls-ca=" + trusted.authority()));
      assertRefused("requires TLS", urlAs("", server, ""));
      assertRefused("TLS with nats://", urlAs("", server, "&tls-ca=" + untrusted.authority()));
      assertRefused("TLS with nats://", urlAs("", server, "&tls=true"));
    }
  }

  @Test
  void certificateOfAnotherHost_isRefused() {
    TestCertificates trusted = new TestCertificates(folder, "ours");
    try (NatsTestServer server =
        startServer(
            tlsConfiguration(trusted.sign("server", "DNS:elsewhere.example,IP:127.0.0.9")))) {
      assertRefused("TLS with nats://", urlAs("", server, "&tls-ca=" + trusted.authority()));
    }
  }

  @Test
  void serverThatRequiresClientCertificate_getsOne() {
    TestCertificates trusted = new TestCertificates(folder, "ours");
    String configuration =
        tlsConfiguration(trusted.sign("server", "DNS:localhost,IP:127.0.0.1"))
            .replace(
                "tls {", "tls { verify: true, ca_file: \"%s\",".formatted(trusted.authority()));
    trusted.sign("client", "DNS:client");
    try (NatsTestServer server = startServer(configuration)) {
      String clientParameters =
          "&tls-cert=%s&tls-key=%s".formatted(trusted.certificate("client"), trusted.key("client"));
      assertOpens(urlAs("", server, "&tls-ca=" + trusted.authority() + clientParameters));
      StoreUrl withoutCertificate = urlAs("", server, "&tls-ca=" + trusted.authority());
      assertThrows(StoreException.class, () -> NatsEngine.open(withoutCertificate).close());
    }
  }

  private static String tlsConfiguration(TestCertificates certificates) {
    return "tls { timeout: 20, cert_file: \"%s\", key_file: \"%s\" }"
        .formatted(certificates.certificate("server"), certificates.key("server"));
  }

  private NatsTestServer startServer(String... lines) {
    String[] all = new String[lines.length + 1];
    all[0] = NatsTestServer.DURABLE;
    for (int i = 0; i < lines.length; i++) {
      all[i + 1] = lines[i].replace("%", "%%");
    }
    return NatsTestServer.start(folder.resolve("server"), all);
  }

  private static StoreUrl urlAs(String user, NatsTestServer server, String params) {
    return StoreUrl.parse("nats://" + user + server.address() + "?sync_interval=always" + params);
  }

  private Path writeSecret(String name, String text, String mode) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private static void assertOpens(StoreUrl url) {
    try (NatsEngine engine = NatsEngine.open(url)) {
      assertWritten(engine.kv().put(THINGS, new Key("a"), Value.of("x")));
    }
  }

  private static void assertRefused(String words, StoreUrl url) {
    StoreRefusedException e =
        assertThrows(StoreRefusedException.class, () -> NatsEngine.open(url).close());
    assertTrue(e.getMessage().contains(words), e.getMessage());
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      assertFalse(
          String.valueOf(cause.getMessage()).matches(".*(s3cret|wr0ng|t0ken).*"),
          "a secret in " + cause);
    }
  }

  private static String issueToken(NKey by, NKey to, String claims)
      throws GeneralSecurityException, IOException {
    JsonSerializable nats = () -> claims;
    return JwtUtils.issueJWT(
        by,
        publicKeyOf(to),
        "keyfleet",
        null,
        JwtUtils.currentTimeSeconds(),
        publicKeyOf(by),
        nats);
  }

  private static String publicKeyOf(NKey key) throws GeneralSecurityException, IOException {
    return new String(key.getPublicKey());
  }
}
