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
  public static URI parse(ProviderSpecReader parts, String text, String form) {
    URI uri = uri(text).orElseThrow(() -> parts.bad("that is no address", form));
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (uri.getHost() == null || !(scheme.equals("https") || scheme.equals("http"))) {
      throw parts.bad("an address is https://HOST or https://HOST:PORT", form);
    }
    if (uri.getRawUserInfo() != null) {
      throw parts.bad("an address has no user or password in it", form);
    }
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    if (!(path.isEmpty() || path.equals("/")) || uri.getRawFragment() != null) {
      throw parts.bad("an address ends behind its port", form);
    }
    if (scheme.equals("http") && !LOOPBACK.matcher(uri.getHost()).matches()) {
      throw parts.bad("http, which hides nothing, is for a server on this host alone", form);
    }
    return URI.create(scheme + "://" + uri.getRawAuthority());
  }

  private static Optional<URI> uri(String text) {
    try {
      return Optional.of(new URI(text));
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }
}
