package keyfleet.otel;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The address of a collector: `http://HOST:PORT` or `https://HOST:PORT`, with or without a path.
/// OTLP adds a path for each kind of signal. A user, a query or a fragment is refused, because they
/// may hold secrets.
public record CollectorAddress(URI base) {
  public static final String EXAMPLE = "http://127.0.0.1:4318";

  /// Empty if `text` is not such an address.
  public static Optional<CollectorAddress> parse(String text) {
    try {
      URI uri = new URI(text);
      boolean isPlain =
          uri.getRawUserInfo() == null && uri.getRawQuery() == null && uri.getRawFragment() == null;
      return isPlain && isHttp(uri.getScheme()) && uri.getHost() != null
          ? Optional.of(new CollectorAddress(uri))
          : Optional.empty();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  private static boolean isHttp(@Nullable String scheme) {
    return "http".equals(scheme) || "https".equals(scheme);
  }

  String tracesUrl() {
    String text = base.toString();
    return (text.endsWith("/") ? text : text + "/") + "v1/traces";
  }

  @Override
  public String toString() {
    return base.toString();
  }
}
