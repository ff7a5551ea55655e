package keyfleet.nats;

import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;

/// The settings in a NATS URL besides its hosts. `namespace` is the prefix of each bucket's name,
/// and `replicas` is 0 if the URL has none.
record NatsSettings(
    String namespace, int replicas, List<URI> monitors, DeclaredSync declaredSync, Use use) {
  /// What the URL declares about fsync.
  enum DeclaredSync {
    NONE,
    SYNC_ALWAYS
  }

  /// Which buckets may be used.
  enum Use {
    EVERYTHING,
    /// Only expiring buckets, whose entries a power failure may lose.
    HEARTBEATS
  }

  private static final Set<String> PARAMETERS =
      Set.of(
          "replicas",
          "monitor",
          "sync_interval",
          "use",
          "password-file",
          "token-file",
          "creds",
          "nkey",
          "tls",
          "tls-ca",
          "tls-cert",
          "tls-key");

  /// No hyphen, because the first hyphen in a bucket's name ends the namespace.
  private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9]{0,32}");

  private static final Set<String> REPLICAS = Set.of("1", "3", "5");

  NatsSettings {
    monitors = List.copyOf(monitors);
  }

  static NatsSettings of(StoreUrl url) {
    url.rejectUnknownParameters(PARAMETERS);
    if (!NAMESPACE.matcher(url.path()).matches()) {
      throw refused(
          "the path of a NATS URL is a prefix of bucket names: up to 32 letters and digits",
          "nats://HOST/WORD");
    }
    return new NatsSettings(
        url.path(),
        url.parameter("replicas").map(NatsSettings::parseReplicas).orElse(0),
        url.parameter("monitor").map(NatsSettings::parseMonitors).orElse(List.of()),
        url.parameter("sync_interval").map(NatsSettings::parseSync).orElse(DeclaredSync.NONE),
        url.parameter("use").map(NatsSettings::parseUse).orElse(Use.EVERYTHING));
  }

  private static int parseReplicas(String value) {
    if (!REPLICAS.contains(value)) {
      throw refused("replicas must be 1, 3 or 5, not " + value, "?replicas=3");
    }
    return Integer.parseInt(value);
  }

  private static List<URI> parseMonitors(String value) {
    try {
      return Stream.of(value.split(",", -1))
          .map(it -> URI.create(it + "/varz"))
          .filter(NatsSettings::checkWebUrl)
          .toList();
    } catch (IllegalArgumentException e) {
      throw refused(
          "monitor must be http or https URLs, separated by commas",
          "?monitor=http://127.0.0.1:8222");
    }
  }

  private static boolean checkWebUrl(URI uri) {
    if (uri.getHost() == null
        || !Set.of("http", "https").contains(String.valueOf(uri.getScheme()))) {
      throw new IllegalArgumentException("not an http or https URL with a host");
    }
    return true;
  }

  /// Refuses an interval instead of ignoring it: the operator would believe that it protects the
  /// data.
  private static DeclaredSync parseSync(String value) {
    if (!value.equals("always")) {
      throw refused(
          "with sync_interval=" + value + " a power failure can lose acknowledged writes",
          "sync_interval: always");
    }
    return DeclaredSync.SYNC_ALWAYS;
  }

  private static Use parseUse(String value) {
    if (!value.equals("heartbeats")) {
      throw refused("use must be heartbeats or absent, not " + value, "?use=heartbeats");
    }
    return Use.HEARTBEATS;
  }

  private static StoreRefusedException refused(String sentence, String remedy) {
    return new StoreRefusedException(sentence, remedy);
  }
}
