package keyfleet.providers.vault;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderException;
import keyfleet.providers.Ticker;

/// KEKs in the Transit engine of OpenBao or HashiCorp Vault: version N is version N of one Transit
/// key. A rotation of the Transit key only makes a version that can be announced. A version below
/// the `min_decryption_version` of the key cannot be used and is not loaded.
public final class VaultProvider implements KekProvider {
  public static final String NAME = "vault";

  private final KeyringName keyring;
  private final VaultSettings settings;
  private final VaultClient client;

  /// Never removed: a version that comes back must be the same key.
  private final Map<KekVersion, VaultKek> knownKeks = new HashMap<>();

  VaultProvider(
      KeyringName keyring, VaultSettings settings, Ticker ticker, RandomGenerator random) {
    this.keyring = keyring;
    this.settings = settings;
    this.client = new VaultClient(settings, ticker, random);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public KekSet load() {
    try (VaultResponse response = client.sendForLoad(new VaultRequest.Read(path()))) {
      if (!response.isOk()) {
        throw loadFailure(response);
      }
      return KekSet.of(keyring, toKeks(TransitKey.parse(response.body(), settings)));
    }
  }

  private List<Kek> toKeks(TransitKey key) {
    List<Kek> keks = new ArrayList<>();
    key.creationTimes()
        .forEach((version, creationTime) -> {
          VaultKek kek =
              knownKeks.computeIfAbsent(
                  version, v -> new VaultKek(v, creationTime, settings, client));
          kek.verifySameVersion(creationTime);
          keks.add(kek);
        });
    return keks;
  }

  private String path() {
    return settings.mount() + "/keys/" + settings.key();
  }

  private ProviderException loadFailure(VaultResponse response) {
    String where = " at " + settings.address();
    if (response.hasError("no handler for route")) {
      return new ProviderException(
          "nothing is mounted as " + settings.mount() + where,
          "bao secrets enable -path=%s transit (or: vault …)".formatted(settings.mount()));
    }
    if (response.status() == VaultResponse.NOT_FOUND) {
      return new ProviderException(
          "there is no Transit key " + settings.keyDescription() + where,
          "bao write -f %s (or: vault …), which makes version 1".formatted(path()));
    }
    return new ProviderException(
        "Transit key "
            + settings.keyDescription()
            + where
            + " cannot be read: the server answered "
            + response.status(),
        "check that " + settings.mount() + " is a Transit engine");
  }

  @Override
  public void close() {
    client.close();
  }
}
