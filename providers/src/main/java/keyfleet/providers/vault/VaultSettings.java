package keyfleet.providers.vault;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Which Transit key of which server, and as whom.
///
/// @param mount where the Transit engine is mounted, `transit` unless set
/// @param tokenFile holds the token alone; see [SecretFileReader]
/// @param caFile certificates of those who may vouch for the server, in PEM, in place of the JDK's
/// @param namespace the server's namespace, if not its root
record VaultSettings(
    URI address,
    String mount,
    String key,
    Path tokenFile,
    @Nullable Path caFile,
    @Nullable String namespace) {
  /// As messages name the key.
  String keyDescription() {
    String within = namespace == null ? "" : " in namespace " + namespace;
    return mount + "/" + key + within;
  }

  Optional<Path> caFileIfSet() {
    return Optional.ofNullable(caFile);
  }
}
