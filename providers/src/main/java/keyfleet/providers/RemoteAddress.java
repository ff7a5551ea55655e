package keyfleet.providers;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Where a remote is: `https://HOST[:PORT]`. Plain http would show data keys and credentials to the
/// network, so it is for this host alone.
public final class RemoteAddress {
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\]");

  private RemoteAddress() {}

  /// The address without a slash at its end, or the rule that `text` breaks.
  public static URI parse(ProviderSpecReader reader, String text, String example) {
    URI uri = parseUri(text).orElseThrow(() -> reader.invalid("that is no address", example));
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (uri.getHost() == null || !(scheme.equals("https") || scheme.equals("http"))) {
      throw reader.invalid("an address is https://HOST or https://HOST:PORT", example);
    }
    if (uri.getRawUserInfo() != null) {
      throw reader.invalid("an address has no user or password in it", example);
    }
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    if (!(path.isEmpty() || path.equals("/")) || uri.getRawFragment() != null) {
      throw reader.invalid("an address ends behind its port", example);
    }
    if (scheme.equals("http") && !LOOPBACK.matcher(uri.getHost()).matches()) {
      throw reader.invalid(
          "http, which hides nothing, is for a server on this host alone", example);
    }
    return URI.create(scheme + "://" + uri.getRawAuthority());
  }

  private static Optional<URI> parseUri(String text) {
    try {
      return Optional.of(new URI(text));
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }
}
