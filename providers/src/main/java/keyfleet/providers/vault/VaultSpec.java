package keyfleet.providers.vault;

import java.net.URI;
import java.nio.file.Path;
import java.util.regex.Pattern;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpecReader;
import keyfleet.providers.RemoteAddress;
import org.jspecify.annotations.Nullable;

/// `vault:URL?token-file=FILE`, optionally with `mount=`, `key=`, `ca-file=` and `namespace=`.
public record VaultSpec(
    URI address,
    String mount,
    @Nullable String key,
    Path tokenFile,
    @Nullable Path caFile,
    @Nullable String namespace)
    implements ProviderSpec {
  static final String FORM = "vault:https://HOST:8200?token-file=FILE&mount=transit&key=NAME";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
  private static final Pattern PATH =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}(/[A-Za-z0-9][A-Za-z0-9._-]{0,63}){0,7}");

  public static VaultSpec parse(ProviderSpecReader reader) {
    URI address = RemoteAddress.parse(reader, reader.address(FORM), FORM);
    String mount = takeMatching(reader, "mount", PATH, "is not a valid mount path");
    String key = takeMatching(reader, "key", NAME, "is not a valid Transit key name");
    String namespace = takeMatching(reader, "namespace", PATH, "is not a valid namespace path");
    String token = reader.takeOption("token-file");
    if (token == null || token.isBlank()) {
      throw reader.invalid("token-file= is missing; the token is read from a file", FORM);
    }
    String ca = reader.takeOption("ca-file");
    return new VaultSpec(
        address,
        mount == null ? "transit" : mount,
        key,
        reader.path(token, FORM),
        ca == null ? null : reader.path(ca, FORM),
        namespace);
  }

  /// The Transit key of a keyring that names no other.
  static String defaultKey(KeyringName keyring) {
    return "keyfleet-" + keyring;
  }

  private static @Nullable String takeMatching(
      ProviderSpecReader reader, String option, Pattern rule, String problem) {
    String value = reader.takeOption(option);
    if (value != null && !rule.matcher(value).matches()) {
      throw reader.invalid(option + "= " + problem, FORM);
    }
    return value;
  }

  @Override
  public KekProvider open(KeyringName keyring, ProviderContext context) {
    String name = key == null ? defaultKey(keyring) : key;
    return new VaultProvider(
        keyring,
        new VaultSettings(address, mount, name, tokenFile, caFile, namespace),
        context.ticker(),
        context.random());
  }
}
