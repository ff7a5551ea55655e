package keyfleet.store.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.store.StoreRefusedException;

/// The URL of a store, `SCHEME://USER:PASSWORD@HOST:PORT,HOST:PORT/PATH?NAME=VALUE&…`, or
/// `sqlite:PATH`. It never prints a password.
public final class StoreUrl {
  private static final Pattern SERVER =
      Pattern.compile(
          "(?<scheme>[a-z][a-z0-9+]*)://(?:(?<user>[^/?@]*)@)?(?<hosts>[^/?@]*)"
              + "(?:/(?<path>[^?]*))?(?:\\?(?<query>.*))?");
  private static final Pattern FILE = Pattern.compile("sqlite:(?<path>[^?]+)(?:\\?(?<query>.*))?");
  private static final Set<String> SCHEMES = Set.of("postgresql", "mongodb", "nats");

  private final String scheme;
  private final List<String> hosts;
  private final String path;
  private final String userInfo;
  private final Map<String, String> parameters;
  private final boolean isForReading;

  private StoreUrl(Matcher parts, String scheme) {
    boolean onServer = !scheme.equals("sqlite");
    this.scheme = scheme;
    this.hosts = onServer ? List.of(parts.group("hosts").split(",", -1)) : List.of();
    this.userInfo = onServer ? orEmpty(parts.group("user")) : "";
    this.path = onServer ? decode(orEmpty(parts.group("path"))) : parts.group("path");
    this.parameters = parseParameters(orEmpty(parts.group("query")));
    this.isForReading = false;
  }

  private StoreUrl(StoreUrl url, boolean isForReading) {
    this.scheme = url.scheme;
    this.hosts = url.hosts;
    this.path = url.path;
    this.userInfo = url.userInfo;
    this.parameters = url.parameters;
    this.isForReading = isForReading;
  }

  /// The same store, for a command that only reads. The engine then creates nothing, needs no right
  /// to write, and refuses a place that has no store.
  public StoreUrl forReading() {
    return new StoreUrl(this, true);
  }

  public boolean isForReading() {
    return isForReading;
  }

  public static StoreUrl parse(String text) {
    Matcher file = FILE.matcher(text);
    Matcher server = SERVER.matcher(text);
    if (text.startsWith("postgres://")) { // the scheme that many tools print
      return parse(text.replaceFirst("postgres", "postgresql"));
    }
    if (file.matches()) {
      return new StoreUrl(file, "sqlite");
    }
    if (!server.matches()) {
      throw refused("the store URL cannot be parsed");
    }
    String scheme = server.group("scheme");
    if (!SCHEMES.contains(scheme)) {
      throw refused("unknown store engine: " + scheme);
    }
    StoreUrl url = new StoreUrl(server, scheme);
    if (url.hosts.contains("")) {
      throw refused("the store URL has no host");
    }
    return url;
  }

  public String scheme() {
    return scheme;
  }

  /// Each `HOST` or `HOST:PORT`, in the order of the URL.
  public List<String> hosts() {
    return hosts;
  }

  public String path() {
    return path;
  }

  public Optional<String> user() {
    String user = decode(userInfo.split(":", 2)[0]);
    return user.isEmpty() ? Optional.empty() : Optional.of(user);
  }

  public Optional<String> password() {
    String[] parts = userInfo.split(":", 2);
    return parts.length < 2 ? Optional.empty() : Optional.of(decode(parts[1]));
  }

  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name));
  }

  /// Refuses parameters that the engine does not know: one may be a misspelt parameter that safety
  /// needs.
  public void rejectUnknownParameters(Set<String> known) {
    for (String name : parameters.keySet()) {
      if (!known.contains(name)) {
        throw StoreRefusedException.noAccess(
            "%s URLs have no parameter %s".formatted(scheme, name),
            "one of " + String.join(", ", known.stream().sorted().toList()));
      }
    }
  }

  /// The URL without its password.
  @Override
  public String toString() {
    String login = user().map(it -> it + "@").orElse("");
    return hosts.isEmpty()
        ? scheme + ":" + path
        : "%s://%s%s%s"
            .formatted(scheme, login, String.join(",", hosts), path.isEmpty() ? "" : "/" + path);
  }

  private static Map<String, String> parseParameters(String query) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String parameter : query.split("&", -1)) {
      String[] parts = parameter.split("=", 2);
      if (query.isEmpty()) {
        continue;
      }
      if (parts.length < 2
          || parts[0].isEmpty()
          || parameters.put(parts[0], decode(parts[1])) != null) {
        throw refused("a parameter of the store URL is not NAME=VALUE, or occurs twice");
      }
    }
    return Collections.unmodifiableMap(parameters);
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException e) {
      throw refused("the store URL has a % that is not followed by two hex digits");
    }
  }

  private static String orEmpty(String text) {
    return text == null ? "" : text;
  }

  /// The message does not include the URL: it may contain a password in an unexpected place.
  private static StoreRefusedException refused(String sentence) {
    return StoreRefusedException.noAccess(
        sentence,
        "sqlite:keyfleet.db, postgresql://HOST/DATABASE, mongodb://HOST/DATABASE, nats://HOST");
  }
}
