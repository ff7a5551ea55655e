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

/// `vault:URL?token-file=FILE`, with `mount=`, `key=`, `ca-file=` and `namespace=` where the usual
/// does not do.
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

  public static VaultSpec parse(ProviderSpecReader parts) {
    URI address = RemoteAddress.parse(parts, parts.rest(FORM), FORM);
    String mount = matching(parts, "mount", PATH, "is no path of a mount");
    String key = matching(parts, "key", NAME, "is no name of a Transit key");
    String namespace = matching(parts, "namespace", PATH, "is no path of a namespace");
    String token = parts.take("token-file");
    if (token == null || token.isBlank()) {
      throw parts.bad("token-file= is missing; the token is read from a file", FORM);
    }
    String ca = parts.take("ca-file");
    return new VaultSpec(
        address,
        mount == null ? "transit" : mount,
        key,
        parts.path(token, FORM),
        ca == null ? null : parts.path(ca, FORM),
        namespace);
  }

  private static @Nullable String matching(
      ProviderSpecReader parts, String option, Pattern rule, String broken) {
    String value = parts.take(option);
    if (value != null && !rule.matcher(value).matches()) {
      throw parts.bad(option + "= " + broken, FORM);
    }
    return value;
  }

  @Override
  public KekProvider open(KeyringName keyring, ProviderContext around) {
    String name = key == null ? "keyfleet-" + keyring : key;
    return new VaultProvider(
        keyring,
        new VaultSettings(address, mount, name, tokenFile, caFile, namespace),
        around.ticker(),
        around.random());
  }
}
