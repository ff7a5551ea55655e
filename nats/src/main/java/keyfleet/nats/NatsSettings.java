package keyfleet.nats;

import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;

/// What the URL says beyond whom to call: `space` stands before each bucket's name, and no
/// `replicas` is 0.
record NatsSettings(
    String namespace, int replicas, List<URI> monitors, DeclaredSync declaredSync, Use use) {
  /// What the URL says about fsync.
  enum DeclaredSync {
    NONE,
    SYNC_ALWAYS
  }

  /// What the buckets are for.
  enum Use {
    EVERYTHING,
    /// Expiring buckets alone, which may be lost with the power.
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

  /// No hyphen, so that the first one in a bucket's name ends the space.
  private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9]{0,32}");

  private static final Set<String> REPLICAS = Set.of("1", "3", "5");

  NatsSettings {
    monitors = List.copyOf(monitors);
  }

  static NatsSettings of(StoreUrl url) {
    url.rejectUnknownParameters(PARAMETERS);
    if (!NAMESPACE.matcher(url.path()).matches()) {
      throw refused(
          "the path of a NATS URL is a word that its buckets' names begin with",
          "nats://HOST/WORD");
    }
    return new NatsSettings(
        url.path(),
        url.parameter("replicas").map(NatsSettings::parseReplicas).orElse(0),
        url.parameter("monitor").map(NatsSettings::monitors).orElse(List.of()),
        url.parameter("sync_interval").map(NatsSettings::promise).orElse(DeclaredSync.NONE),
        url.parameter("use").map(NatsSettings::use).orElse(Use.EVERYTHING));
  }

  private static int parseReplicas(String value) {
    if (!REPLICAS.contains(value)) {
      throw refused("replicas is 1, 3 or 5, not " + value, "?replicas=3");
    }
    return Integer.parseInt(value);
  }

  private static List<URI> monitors(String value) {
    try {
      return Stream.of(value.split(",", -1))
          .map(it -> URI.create(it + "/varz"))
          .filter(NatsSettings::checkWebAddress)
          .toList();
    } catch (IllegalArgumentException e) {
      throw refused("monitor names no monitoring endpoint", "?monitor=http://127.0.0.1:8222");
    }
  }

  private static boolean checkWebAddress(URI uri) {
    if (uri.getHost() == null
        || !Set.of("http", "https").contains(String.valueOf(uri.getScheme()))) {
      throw new IllegalArgumentException("no host or no web address");
    }
    return true;
  }

  /// A time is refused, not ignored: who writes one believes that it protects something.
  private static DeclaredSync promise(String value) {
    if (!value.equals("always")) {
      throw refused(
          "sync_interval=" + value + " acknowledges what a power failure can take back",
          "sync_interval: always");
    }
    return DeclaredSync.SYNC_ALWAYS;
  }

  private static Use use(String value) {
    if (!value.equals("heartbeats")) {
      throw refused("use is heartbeats or left out, not " + value, "?use=heartbeats");
    }
    return Use.HEARTBEATS;
  }

  private static StoreRefusedException refused(String sentence, String remedy) {
    return new StoreRefusedException(sentence, remedy);
  }
}
