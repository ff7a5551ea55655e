package keyfleet.providers;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The address of a remote: `https://HOST[:PORT]`. Plain http would show data keys and credentials
/// to the network, so it is allowed only for this host.
public final class RemoteAddress {
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\]");

  private RemoteAddress() {}

  /// Parses `text` into an address without a slash at the end. Throws with the rule that `text`
  /// breaks.
  public static URI parse(ProviderSpecReader reader, String text, String example) {
    URI uri = parseUri(text).orElseThrow(() -> reader.invalid("not a valid address", example));
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (uri.getHost() == null || !(scheme.equals("https") || scheme.equals("http"))) {
      throw reader.invalid("an address is https://HOST or https://HOST:PORT", example);
    }
    if (uri.getRawUserInfo() != null) {
      throw reader.invalid("an address has no user or password in it", example);
    }
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    if (!(path.isEmpty() || path.equals("/")) || uri.getRawFragment() != null) {
      throw reader.invalid("an address has no path after its port", example);
    }
    if (scheme.equals("http") && !LOOPBACK.matcher(uri.getHost()).matches()) {
      throw reader.invalid("plain http is allowed only for a server on this host", example);
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
