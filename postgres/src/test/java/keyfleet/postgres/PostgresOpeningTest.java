package keyfleet.postgres;

import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.TestCertificates;
import keyfleet.store.Value;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Opening a database: settings, TLS, logins, schema, and the errors of each.
class PostgresOpeningTest {
  private static final String SECRET = "swordfish%20and%20chips";

  @TempDir private static Path folder;
  private static PostgresTestServer server;

  @BeforeAll
  static void start() throws IOException {
    server = PostgresTestServer.startNew();
    new TestCertificates(folder, "other");
    install(
        new TestCertificates(folder, "ours")
            .sign("server", "DNS:localhost")
            .sign("holder", "DNS:holder"));
    Files.write(
        server.data().resolve("pg_hba.conf"),
        List.of(
            "host all admin 127.0.0.1/32 trust",
            "hostssl all holder 127.0.0.1/32 cert",
            "hostssl all secret_only 127.0.0.1/32 scram-sha-256",
            "host all member 127.0.0.1/32 scram-sha-256"));
    server.execute(
        "postgres",
        "CREATE ROLE member LOGIN PASSWORD 'swordfish and chips'",
        "CREATE ROLE secret_only LOGIN PASSWORD 'swordfish and chips'",
        "CREATE ROLE holder LOGIN",
        "CREATE DATABASE app",
        "GRANT CREATE ON DATABASE app TO secret_only, holder",
        "ALTER SYSTEM SET ssl = on",
        "SELECT pg_reload_conf()");
    // The reload takes some time to reach the server's parent process.
    for (int i = 0;
        i < 100
            && !server
                .execute("postgres", "SELECT current_setting('ssl') FROM pg_sleep(0.1)")
                .equals("on");
        i++) {
      assertTrue(i < 99, "TLS does not come up");
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "member:wrong@127.0.0.1:{port}/app | refuses the user or its password",
        "stranger@127.0.0.1:{port}/app | refuses the user or its password",
        "admin@127.0.0.1:{port}/nowhere | does not exist",
        "admin@127.0.0.1:{port}/ | names no database",
        "admin@127.0.0.1:{port}/app?sslmod=require | have no parameter sslmod",
        "admin@127.0.0.1:{port}/app?sslmode=prefer | sslmode cannot be prefer",
        "admin@127.0.0.1:{port}/app?schema=a;b | schema=a;b does not match",
        "admin@127.0.0.1:{port}/app?pool=0 | pool=0 does not match",
        "admin@127.0.0.1:{port}/app?sslrootcert={dir}/ours/ca.pem | sslmode is disable",
        "secret_only:" + SECRET + "@127.0.0.1:{port}/app | refuses the user or its password",
        "admin@localhost:{port}/app?sslmode=verify-full&sslrootcert={dir}/absent.pem | cannot be"
            + " read",
        "admin@localhost:{port}/app?sslmode=verify-full&sslrootcert={dir}/other/ca.pem | no trusted"
            + " encrypted connection",
        "admin@localhost:{port}/app?sslmode=verify-full | no trusted encrypted connection",
        "admin@127.0.0.1:{port}/app?sslmode=verify-full&sslrootcert={dir}/ours/ca.pem | no trusted"
            + " encrypted connection",
        "admin@localhost:{port}/app?sslmode=require&sslcert={dir}/ours/holder.pem | sslcert and sslkey"
            + " go together",
      })
  void refusedConnection_namesTheReason(String address, String sentence) {
    StoreRefusedException e = assertThrows(StoreRefusedException.class, () -> open(address));
    assertTrue(e.getMessage().contains(sentence), e::getMessage);
    assertEquals(StoreRefusedException.Reason.NO_ACCESS, e.reason());
    assertFalse((e.getMessage() + e.remedy()).contains("swordfish"), e::getMessage);
    assertFalse(e.remedy().isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "secret_only:"
            + SECRET
            + "@localhost:{port}/app?schema=s1&sslmode=verify-full&sslrootcert={dir}/ours/ca.pem",
        "secret_only:"
            + SECRET
            + "@127.0.0.1:{port}/app?schema=s2&sslmode=verify-ca&sslrootcert={dir}/ours/ca.pem",
        "secret_only:" + SECRET + "@127.0.0.1:{port}/app?schema=s3&sslmode=require",
        "holder@localhost:{port}/app?schema=s4&sslmode=verify-full&sslrootcert={dir}/ours/ca.pem&sslcert={dir}/ours/holder.pem&sslkey={dir}/ours/holder.key",
      })
  void encryptedConnection_isAccepted(String address) {
    try (PostgresEngine engine = open(address)) {
      assertWritten(engine.kv().put(new Bucket.Lasting("b"), new Key("k"), Value.of("v")));
      assertTrue(engine.storeChecks().contains(StoreCheck.ok("the connection is encrypted")));
    }
  }

  @Test
  void deadHost_isRetryable() {
    StoreException e = assertThrows(StoreException.class, () -> open("admin@127.0.0.1:1/app"));
    assertFalse(e instanceof StoreRefusedException, e::getMessage);
    assertTrue(
        e.getMessage().startsWith("postgresql://admin@127.0.0.1:1/app does not answer"),
        e::getMessage);
  }

  @Test
  void deadHostAmongSeveral_isSkipped() {
    try (PostgresEngine engine = open("admin@127.0.0.1:1,127.0.0.1:{port}/app?schema=several")) {
      assertTrue(engine.kv().storeTime().millis() > 0);
    }
  }

  @Test
  void passwordFile_mustBeReadableByItsOwnerOnly() throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "swordfish and chips\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    String address =
        "secret_only@127.0.0.1:{port}/app?schema=s5&sslmode=require&password-file=" + file;
    StoreRefusedException e = assertThrows(StoreRefusedException.class, () -> open(address));
    assertTrue(e.getMessage().contains("has mode rw-r--r--"), e::getMessage);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    open(address).close();
    assertThrows(
        StoreRefusedException.class, () -> open(address.replace("secret_only@", "secret_only:x@")));
    assertThrows(StoreRefusedException.class, () -> open(address + ".absent"));
  }

  @Test
  void schemaOfAnotherVersion_isRefused() {
    open("admin@127.0.0.1:{port}/app?schema=later").close();
    server.execute("app", "UPDATE later.meta SET value = 3 WHERE name = 'schema_version'");
    StoreRefusedException e =
        assertThrows(
            StoreRefusedException.class, () -> open("admin@127.0.0.1:{port}/app?schema=later"));
    assertEquals("schema later has version 3, this Keyfleet knows version 2", e.getMessage());
    assertEquals(StoreRefusedException.Reason.UNSAFE, e.reason());
  }

  @Test
  void roleWithoutCreate_needsAnExistingSchema() {
    String address = "member:" + SECRET + "@127.0.0.1:{port}/app?schema=made";
    StoreRefusedException e = assertThrows(StoreRefusedException.class, () -> open(address));
    assertTrue(e.remedy().contains("GRANT CREATE ON DATABASE"), e::remedy);
    open("admin@127.0.0.1:{port}/app?schema=made").close();
    assertThrows(StoreRefusedException.class, () -> open(address));
    server.execute(
        "app",
        "GRANT USAGE ON SCHEMA made TO member",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA made TO member",
        "GRANT USAGE ON ALL SEQUENCES IN SCHEMA made TO member");
    try (PostgresEngine engine = open(address)) {
      assertWritten(engine.kv().put(new Bucket.Lasting("b"), new Key("k"), Value.of("v")));
    }
  }

  @Test
  void reader_needsAStoreButNoRightToWrite() {
    String address = "member:" + SECRET + "@127.0.0.1:{port}/app?schema=seen";
    StoreRefusedException e =
        assertThrows(StoreRefusedException.class, () -> openForReading(address));
    assertTrue(e.getMessage().startsWith("there is no Keyfleet store at "), e::getMessage);
    assertThrows(
        StoreRefusedException.class,
        () -> openForReading("admin@127.0.0.1:{port}/app?schema=seen"));
    assertEquals(
        "0", server.execute("app", "SELECT count(*) FROM pg_namespace WHERE nspname = 'seen'"));
    Bucket bucket = new Bucket.Lasting("b");
    try (PostgresEngine engine = open("admin@127.0.0.1:{port}/app?schema=seen")) {
      assertWritten(engine.kv().put(bucket, new Key("k"), Value.of("v")));
    }
    server.execute(
        "app",
        "GRANT USAGE ON SCHEMA seen TO member",
        "GRANT SELECT ON ALL TABLES IN SCHEMA seen TO member");
    try (PostgresEngine engine = openForReading(address)) {
      assertEquals(1, engine.kv().list(bucket, Prefix.ALL).size());
      assertTrue(engine.kv().get(new Bucket.Lasting("never_used"), new Key("k")).isEmpty());
      assertTrue(engine.kv().storeTime().millis() > 0);
    }
    assertEquals("1", server.execute("app", "SELECT count(*) FROM seen.buckets"));
  }

  @Test
  void schemaOpenedConcurrently_isCreatedOnce() {
    List<Thread> openers =
        java.util.stream.IntStream.range(0, 4)
            .mapToObj(_ ->
                Thread.ofVirtual()
                    .start(() -> open("admin@127.0.0.1:{port}/app?schema=rush&pool=1").close()))
            .toList();
    openers.forEach(PostgresOpeningTest::join);
    assertEquals("1", server.execute("app", "SELECT count(*) FROM rush.meta"));
  }

  @Test
  void serverThatMayLoseWrites_isReported() {
    assertEquals(StoreCheck.Level.OK, worst(open("admin@127.0.0.1:{port}/app?schema=safe")));
    server.execute("app", "ALTER DATABASE app SET synchronous_commit = off");
    assertEquals(StoreCheck.Level.WARN, worst(open("admin@127.0.0.1:{port}/app?schema=safe")));
    server.execute("app", "ALTER DATABASE app RESET synchronous_commit");
    assertEquals(
        StoreCheck.Level.FAIL,
        worst(
            PostgresEngine.open(
                StoreUrl.parse(PostgresTestServer.shared().url("postgres", "schema=unsafe")))));
  }

  @Test
  void standby_isRefused() throws IOException {
    try (PostgresTestServer standby = PostgresTestServer.startNew()) {
      standby.kill();
      Files.createFile(standby.data().resolve("standby.signal"));
      standby.start();
      StoreRefusedException e =
          assertThrows(
              StoreRefusedException.class,
              () -> PostgresEngine.open(StoreUrl.parse(standby.url("postgres", ""))));
      assertTrue(e.getMessage().contains("is a standby"), e::getMessage);
    }
  }

  /// Copies the server's certificate and key, and the CA of its clients, into its data folder.
  private static void install(TestCertificates certificates) throws IOException {
    Path data = server.data();
    Files.copy(certificates.certificate("server"), data.resolve("server.crt"));
    Files.copy(certificates.key("server"), data.resolve("server.key"));
    Files.copy(certificates.authority(), data.resolve("root.crt"));
    Files.write(data.resolve("postgresql.auto.conf"), List.of("ssl_ca_file = 'root.crt'"));
    String owner = Files.getOwner(data).getName();
    for (String file : List.of("server.crt", "server.key", "root.crt")) {
      PostgresTestServer.runCommand(List.of("chmod", "0600", data.resolve(file).toString()));
      PostgresTestServer.runCommand(List.of("chown", owner, data.resolve(file).toString()));
    }
  }

  private static StoreCheck.Level worst(PostgresEngine engine) {
    try (engine) {
      return engine.storeChecks().stream()
          .map(StoreCheck::level)
          .max(Enum::compareTo)
          .orElseThrow();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static PostgresEngine open(String address) {
    return PostgresEngine.open(toUrl(address));
  }

  private static PostgresEngine openForReading(String address) {
    return PostgresEngine.open(toUrl(address).forReading());
  }

  private static StoreUrl toUrl(String address) {
    String full =
        address
            .replace("{port}", Integer.toString(server.port()))
            .replace("{dir}", folder.toString());
    return StoreUrl.parse("postgresql://" + full);
  }
}
