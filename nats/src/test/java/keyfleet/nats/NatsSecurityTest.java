package keyfleet.nats;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who may enter, and that we speak to whom we mean.
class NatsSecurityTest {
  /// The last two are how much JetStream an account has.
  private static final String ACCOUNT =
      "{\"type\":\"account\",\"version\":2,\"limits\":{\"subs\":-1,\"data\":-1,\"payload\":-1,\"imports\":-1,"
          + "\"exports\":-1,\"wildcards\":true,\"conn\":-1,\"leaf\":-1,\"mem_storage\":%1$d,\"disk_storage\":%1$d}}";

  @TempDir(factory = InMemoryTempDir.class)
  Path folder;

  @Test
  void passwordByUrlOrFile_opens() throws IOException {
    try (NatsTestServer server = server("authorization { user: kf, password: \"s3cret\" }")) {
      assertOpens(as("kf:s3cret@", server, ""));
      assertOpens(
          as("kf@", server, "&password-file=" + secret("password", "s3cret\n", "rw-------")));
    }
  }

  @Test
  void wrongPassword_isRefusedAndNotSaid() {
    try (NatsTestServer server = server("authorization { user: kf, password: \"s3cret\" }")) {
      assertRefused("refused who we are", as("kf:wr0ng@", server, ""));
    }
  }

  @Test
  void secretThatOthersMayRead_isRefused() throws IOException {
    try (NatsTestServer server = server("authorization { user: kf, password: \"s3cret\" }")) {
      Path open = secret("password", "s3cret", "rw-r--r--");
      assertRefused("has mode rw-r--r--", as("kf@", server, "&password-file=" + open));
      assertRefused(
          "does not exist", as("kf@", server, "&password-file=" + folder.resolve("none")));
    }
  }

  @Test
  void token_opens() throws IOException {
    try (NatsTestServer server = server("authorization { token: \"t0ken\" }")) {
      assertOpens(as("", server, "&token-file=" + secret("token", "t0ken", "r--------")));
    }
  }

  @Test
  void nkey_opens() throws IOException, GeneralSecurityException {
    NKey user = NKey.createUser(new SecureRandom());
    try (NatsTestServer server =
        server("authorization { users: [ { nkey: %s } ] }".formatted(publicOf(user)))) {
      assertOpens(
          as("", server, "&nkey=" + secret("seed", new String(user.getSeed()), "r--------")));
    }
  }

  @Test
  void credentialsOfAnAccount_open() throws IOException, GeneralSecurityException {
    SecureRandom random = new SecureRandom();
    NKey operator = NKey.createOperator(random);
    NKey account = NKey.createAccount(random);
    NKey system = NKey.createAccount(random);
    NKey user = NKey.createUser(random);
    String jwt = JwtUtils.issueUserJWT(account, publicOf(account), publicOf(user));
    String creds = JwtUtils.NATS_USER_JWT_FORMAT.formatted(jwt, new String(user.getSeed()));
    try (NatsTestServer server =
        server(
            "operator: " + issued(operator, operator, "{\"type\":\"operator\",\"version\":2}"),
            "system_account: " + publicOf(system),
            "resolver: MEMORY",
            "resolver_preload { %s: %s, %s: %s }"
                .formatted(
                    publicOf(account),
                    issued(operator, account, ACCOUNT.formatted(-1)),
                    publicOf(system),
                    issued(operator, system, ACCOUNT.formatted(0))))) {
      assertOpens(as("", server, "&creds=" + secret("creds", creds, "r--------")));
    }
  }

  @Test
  void tls_opensForWhomWeTrustAndMean() {
    NatsTestCertificates trusted = new NatsTestCertificates(folder, "ours");
    NatsTestCertificates stranger = new NatsTestCertificates(folder, "stranger");
    try (NatsTestServer server = server(trusted.tls("localhost", "127.0.0.1"))) {
      assertOpens(as("", server, "&tls-ca=" + trusted.authority()));
      assertRefused("speaks TLS only", as("", server, ""));
      assertRefused("no TLS with", as("", server, "&tls-ca=" + stranger.authority()));
      assertRefused("no TLS with", as("", server, "&tls=true"));
    }
  }

  @Test
  void certificateOfAnotherHost_isRefused() {
    NatsTestCertificates trusted = new NatsTestCertificates(folder, "ours");
    try (NatsTestServer server = server(trusted.tls("elsewhere.example", "127.0.0.9"))) {
      assertRefused("no TLS with", as("", server, "&tls-ca=" + trusted.authority()));
    }
  }

  @Test
  void serverThatAsksWhoWeAre_getsOurCertificate() {
    NatsTestCertificates trusted = new NatsTestCertificates(folder, "ours");
    String asking =
        trusted
            .tls("localhost", "127.0.0.1")
            .replace(
                "tls {", "tls { verify: true, ca_file: \"%s\",".formatted(trusted.authority()));
    try (NatsTestServer server = server(asking)) {
      String ours =
          "&tls-cert=%s&tls-key=%s".formatted(trusted.certificate("client"), trusted.key("client"));
      assertOpens(as("", server, "&tls-ca=" + trusted.authority() + ours));
      StoreUrl nameless = as("", server, "&tls-ca=" + trusted.authority());
      assertThrows(StoreException.class, () -> NatsEngine.open(nameless).close());
    }
  }

  private NatsTestServer server(String... lines) {
    String[] all = new String[lines.length + 1];
    all[0] = NatsTestServer.DURABLE;
    for (int i = 0; i < lines.length; i++) {
      all[i + 1] = lines[i].replace("%", "%%");
    }
    return NatsTestServer.start(folder.resolve("server"), all);
  }

  private static StoreUrl as(String who, NatsTestServer server, String params) {
    return StoreUrl.parse("nats://" + who + server.address() + "?sync_interval=always" + params);
  }

  private Path secret(String name, String text, String mode) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private static void assertOpens(StoreUrl url) {
    try (NatsEngine engine = NatsEngine.open(url)) {
      assertInstanceOf(
          Written.class,
          engine.kv().put(new Bucket.Lasting("things"), new Key("a"), Value.of("x")));
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

  private static String issued(NKey by, NKey to, String claims)
      throws GeneralSecurityException, IOException {
    JsonSerializable nats = () -> claims;
    return JwtUtils.issueJWT(
        by, publicOf(to), "keyfleet", null, JwtUtils.currentTimeSeconds(), publicOf(by), nats);
  }

  private static String publicOf(NKey key) throws GeneralSecurityException, IOException {
    return new String(key.getPublicKey());
  }
}
