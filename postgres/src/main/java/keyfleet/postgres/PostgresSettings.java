package keyfleet.postgres;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.PrivateFile;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/// The connection settings from the URL and its files. Not a record, because it holds a password.
final class PostgresSettings {
  /// Any server that responds, or only one that accepts writes.
  enum Target {
    ANY("any"),
    PRIMARY("primary");

    private final String driverValue;

    Target(String driverValue) {
      this.driverValue = driverValue;
    }
  }

  private static final Set<String> PARAMS =
      Set.of("sslmode", "sslrootcert", "sslcert", "sslkey", "password-file", "schema", "pool");
  private static final Set<String> SSL_MODES =
      Set.of("disable", "require", "verify-ca", "verify-full");
  private static final Pattern SCHEMA = Pattern.compile("[a-z_][a-z0-9_]{0,39}");
  private static final Pattern LOOPBACK =
      Pattern.compile("(localhost|127(\\.[0-9]{1,3}){3}|\\[::1])(:[0-9]+)?");
  private static final Pattern POOL = Pattern.compile("[1-9][0-9]{0,2}");

  private final StoreUrl url;
  private final String password;
  private final String sslMode;
  private final String schema;
  private final int poolSize;

  private PostgresSettings(StoreUrl url, String password) {
    this.url = url;
    this.password = password;
    this.sslMode = oneOf(url, "sslmode", SSL_MODES, isLoopback(url) ? "disable" : "verify-full");
    this.schema = matching(url, "schema", SCHEMA, "keyfleet");
    this.poolSize = Integer.parseInt(matching(url, "pool", POOL, "8"));
  }

  static PostgresSettings of(StoreUrl url) {
    url.rejectUnknownParameters(PARAMS);
    if (url.path().isEmpty()) {
      throw StoreRefusedException.noAccess(
          url + " names no database", "postgresql://USER@HOST:PORT/DATABASE");
    }
    PostgresSettings settings = new PostgresSettings(url, readPassword(url));
    settings.checkTls();
    return settings;
  }

  /// For messages; contains no password.
  String address() {
    return url.toString();
  }

  String schema() {
    return schema;
  }

  int poolSize() {
    return poolSize;
  }

  boolean hasOneHost() {
    return url.hosts().size() == 1;
  }

  boolean isEncrypted() {
    return !sslMode.equals("disable");
  }

  boolean isOnThisHost() {
    return isLoopback(url);
  }

  PGSimpleDataSource dataSource(Target target, String application) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(
        "jdbc:postgresql://%s/%s"
            .formatted(
                String.join(",", url.hosts()),
                URLEncoder.encode(url.path(), StandardCharsets.UTF_8).replace("+", "%20")));
    url.user().ifPresent(source::setUser);
    if (!password.isEmpty()) {
      source.setPassword(password);
    }
    source.setApplicationName(application);
    source.setTargetServerType(target.driverValue);
    source.setConnectTimeout((int) PostgresTimeouts.CONNECT.toSeconds());
    source.setSocketTimeout((int) PostgresTimeouts.RESPONSE.toSeconds());
    source.setTcpKeepAlive(true);
    configureTls(source);
    return source;
  }

  private void configureTls(PGSimpleDataSource source) {
    set(source, PGProperty.GSS_ENC_MODE, "disable");
    set(source, PGProperty.SSL_MODE, sslMode);
    url.parameter("sslrootcert")
        .ifPresentOrElse(
            it -> set(source, PGProperty.SSL_ROOT_CERT, it), () -> trustJvmAuthorities(source));
    url.parameter("sslcert").ifPresent(it -> set(source, PGProperty.SSL_CERT, it));
    url.parameter("sslkey")
        .map(it -> new PrivateFile("sslkey", it).checkedPath())
        .ifPresent(it -> set(source, PGProperty.SSL_KEY, it));
  }

  /// Without this the driver looks for a file in the user's home.
  private void trustJvmAuthorities(PGSimpleDataSource source) {
    if (sslMode.startsWith("verify")) {
      set(source, PGProperty.SSL_FACTORY, "org.postgresql.ssl.DefaultJavaSSLFactory");
    }
  }

  private static void set(PGSimpleDataSource source, PGProperty property, String value) {
    source.setProperty(property, value);
  }

  private void checkTls() {
    for (String name : Set.of("sslrootcert", "sslcert", "sslkey")) {
      url.parameter(name).ifPresent(file -> checkTlsFile(name, file));
    }
    boolean hasCert = url.parameter("sslcert").isPresent();
    if (hasCert != url.parameter("sslkey").isPresent()) {
      throw StoreRefusedException.noAccess(
          "sslcert and sslkey go together, but " + url + " has only one of them",
          "give both files");
    }
    if (hasCert && sslMode.startsWith("verify") && url.parameter("sslrootcert").isEmpty()) {
      throw StoreRefusedException.noAccess(
          "sslcert needs sslrootcert to verify the server, but " + url + " does not have it",
          "add sslrootcert=FILE, the PEM file of the server's CA");
    }
  }

  private void checkTlsFile(String name, String file) {
    if (!isEncrypted()) {
      throw StoreRefusedException.noAccess(
          name + " is given, but sslmode is disable", "add sslmode=verify-full");
    }
    if (!Files.isReadable(Path.of(file))) {
      throw StoreRefusedException.noAccess(
          name + " " + file + " cannot be read", "create it, or name another file");
    }
  }

  private static String readPassword(StoreUrl url) {
    String inUrl = url.password().orElse("");
    String file = url.parameter("password-file").orElse("");
    if (!inUrl.isEmpty() && !file.isEmpty()) {
      throw StoreRefusedException.noAccess(
          url + " has a password, and password-file has one too", "keep only the file");
    }
    return file.isEmpty() ? inUrl : new PrivateFile("password-file", file).readText();
  }

  private static boolean isLoopback(StoreUrl url) {
    return url.hosts().stream().allMatch(it -> LOOPBACK.matcher(it).matches());
  }

  private static String oneOf(StoreUrl url, String name, Set<String> allowed, String defaultValue) {
    String value = url.parameter(name).orElse(defaultValue);
    if (!allowed.contains(value)) {
      throw StoreRefusedException.noAccess(
          "%s cannot be %s".formatted(name, value),
          "one of " + String.join(", ", allowed.stream().sorted().toList()));
    }
    return value;
  }

  private static String matching(StoreUrl url, String name, Pattern rule, String defaultValue) {
    String value = url.parameter(name).orElse(defaultValue);
    if (!rule.matcher(value).matches()) {
      throw StoreRefusedException.noAccess(
          "%s=%s does not match %s".formatted(name, value, rule), name + "=" + defaultValue);
    }
    return value;
  }
}
