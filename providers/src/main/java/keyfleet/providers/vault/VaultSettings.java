package keyfleet.providers.vault;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The Transit key, its server and the credentials.
///
/// @param mount the mount path of the Transit engine, `transit` unless set
/// @param tokenFile holds only the token; see [SecretFileReader]
/// @param caFile certificates in PEM that replace those trusted by the JDK
/// @param namespace the namespace of the server, if not its root
record VaultSettings(
    URI address,
    String mount,
    String key,
    Path tokenFile,
    @Nullable Path caFile,
    @Nullable String namespace) {
  /// The key as messages name it.
  String keyDescription() {
    String within = namespace == null ? "" : " in namespace " + namespace;
    return mount + "/" + key + within;
  }

  Optional<Path> caFileIfSet() {
    return Optional.ofNullable(caFile);
  }
}
