package keyfleet.mongodb;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCredential;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.PrintableText;
import keyfleet.store.host.PrivateFile;
import org.bson.BsonType;
import org.bson.codecs.BsonTypeClassMap;
import org.bson.codecs.DocumentCodecProvider;
import org.bson.codecs.configuration.CodecRegistries;
import org.bson.codecs.configuration.CodecRegistry;

/// The driver's settings for a URL. A URL cannot turn off the settings that safety needs.
final class MongoSettings {
  static final Duration CONNECT = Duration.ofSeconds(3);
  static final Duration SELECT_PRIMARY = Duration.ofSeconds(5);
  static final Duration POOL_WAIT = Duration.ofSeconds(5);

  /// The pause after a failure before the driver looks for the server again.
  static final Duration MONITOR_INTERVAL = Duration.ofMillis(100);

  /// Longer than the server's own limit, so that its response arrives first.
  static final Duration SOCKET = Duration.ofSeconds(10);

  /// How long the server may work on a read, or wait until a majority has a write.
  static final Duration SERVER_LIMIT = Duration.ofSeconds(8);

  private static final int MAX_CONNECTIONS = 64;
  private static final String DEFAULT_DATABASE = "keyfleet";
  private static final String DEFAULT_AUTH_SOURCE = "admin";

  private static final String PASSWORD_FILE = "password-file";
  private static final String READ_PREFERENCE = "readPreference";

  /// A secondary that lags more is not read, not even for pages. It is the least that the driver
  /// accepts.
  static final Duration MAX_PAGE_LAG = Duration.ofSeconds(90);

  private static final Set<String> PARAMS =
      Set.of(
          "authSource",
          PASSWORD_FILE,
          READ_PREFERENCE,
          "replicaSet",
          "tls",
          "tlsCAFile",
          "tlsCertificateKeyFile");

  private static final CodecRegistry INSTANT_CODECS =
      CodecRegistries.fromRegistries(
          CodecRegistries.fromProviders(
              new DocumentCodecProvider(
                  new BsonTypeClassMap(Map.of(BsonType.DATE_TIME, Instant.class)))),
          MongoClientSettings.getDefaultCodecRegistry());

  private MongoSettings() {}

  static String database(StoreUrl url) {
    return url.path().isEmpty() ? DEFAULT_DATABASE : url.path();
  }

  /// The driver does not send a write again after a missing response: a server that does not
  /// recognise the repeated write would report an applied compare-and-set as a conflict. The write
  /// ends as `Unknown` instead, and the caller reads its nonce back. The driver does not repeat
  /// reads either; the calling loops do.
  static MongoClientSettings.Builder of(StoreUrl url) {
    url.rejectUnknownParameters(PARAMS);
    MongoClientSettings.Builder settings =
        MongoClientSettings.builder()
            .applicationName("keyfleet")
            .codecRegistry(INSTANT_CODECS)
            .readPreference(ReadPreference.primary())
            .writeConcern(
                WriteConcern.MAJORITY
                    .withJournal(true)
                    .withWTimeout(SERVER_LIMIT.toMillis(), MILLISECONDS))
            .retryWrites(false)
            .retryReads(false)
            .applyToClusterSettings(cluster -> {
              cluster.hosts(hosts(url));
              cluster.serverSelectionTimeout(SELECT_PRIMARY.toMillis(), MILLISECONDS);
              url.parameter("replicaSet").ifPresent(cluster::requiredReplicaSetName);
            })
            .applyToSocketSettings(socket ->
                socket
                    .connectTimeout(CONNECT.toMillis(), MILLISECONDS)
                    .readTimeout(SOCKET.toMillis(), MILLISECONDS))
            .applyToServerSettings(
                server -> server.minHeartbeatFrequency(MONITOR_INTERVAL.toMillis(), MILLISECONDS))
            .applyToConnectionPoolSettings(pool ->
                pool.maxSize(MAX_CONNECTIONS).maxWaitTime(POOL_WAIT.toMillis(), MILLISECONDS));
    credential(url).ifPresent(settings::credential);
    MongoTls.context(url)
        .ifPresent(
            context -> settings.applyToSslSettings(ssl -> ssl.enabled(true).context(context)));
    return settings;
  }

  /// Where pages and lists are read. Everything else reads from the primary.
  static ReadPreference pageReadPreference(StoreUrl url) {
    return switch (url.parameter(READ_PREFERENCE).orElse("primary")) {
      case "primary" -> ReadPreference.primary();
      case "secondaryPreferred" ->
          ReadPreference.secondaryPreferred(MAX_PAGE_LAG.toMillis(), MILLISECONDS);
      case String other ->
          throw new StoreRefusedException(
              "readPreference must be primary or secondaryPreferred, not %s: decisions are read from"
                      .formatted(PrintableText.of(other))
                  + " the primary",
              "readPreference=secondaryPreferred, which applies to pages and lists only");
    };
  }

  private static List<ServerAddress> hosts(StoreUrl url) {
    try {
      return url.hosts().stream().map(ServerAddress::new).toList();
    } catch (RuntimeException e) {
      throw new StoreRefusedException(
          "%s has a host that is not HOST or HOST:PORT".formatted(url),
          "mongodb://HOST:27017/DATABASE",
          e);
    }
  }

  private static Optional<MongoCredential> credential(StoreUrl url) {
    Optional<String> password =
        url.parameter(PASSWORD_FILE).map(it -> new PrivateFile(PASSWORD_FILE, it).readText());
    if (password.isPresent() && url.password().isPresent()) {
      throw new StoreRefusedException(
          url + " has a password, and password-file has one too", "keep only the file");
    }
    String source = url.parameter("authSource").orElse(DEFAULT_AUTH_SOURCE);
    return url.user()
        .map(user ->
            MongoCredential.createCredential(
                user, source, password.or(url::password).orElse("").toCharArray()));
  }
}
