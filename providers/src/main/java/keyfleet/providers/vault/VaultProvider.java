package keyfleet.providers.vault;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.KeyDeletion;
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
    return KekSet.of(keyring, toKeks(readKey()));
  }

  private TransitKey readKey() {
    try (VaultResponse response = client.sendForLoad(new VaultRequest.Read(path()))) {
      if (!response.isOk()) {
        throw loadFailure(response);
      }
      return TransitKey.parse(response.body(), settings);
    }
  }

  /// Raises the `min_decryption_version` of the Transit key above the version, for every process at
  /// once. That also takes every lower version away. To erase them with `trim` is left to a person:
  /// the server cannot undo it. A key with a name of its own may serve others too.
  @Override
  public KeyDeletion prepareDeletion(KekVersion version, Set<KekVersion> kept) {
    int minimum = version.number() + 1;
    String command =
        "bao write %s/config min_decryption_version=%d (or: vault …)".formatted(path(), minimum);
    List<KekVersion> lower =
        kept.stream().filter(it -> it.compareTo(version) < 0).sorted().toList();
    if (!lower.isEmpty()) {
      return new KeyDeletion.ByHand(
          "destroy %s first, because raising min_decryption_version takes every lower version away"
              .formatted(lower.getFirst()));
    }
    if (!settings.key().equals(VaultSpec.defaultKey(keyring))) {
      return new KeyDeletion.ByHand(
          "if nothing else uses Transit key %s: %s".formatted(settings.keyDescription(), command));
    }
    int latest = readKey().creationTimes().lastKey().number();
    if (latest == version.number()) {
      return new KeyDeletion.ByHand(
          "it is the last version of Transit key %s; delete the key: bao write %s/config"
                  .formatted(settings.keyDescription(), path())
              + " deletion_allowed=true && bao delete "
              + path());
    }
    return new KeyDeletion.Possible(
        "version %d of Transit key %s".formatted(version.number(), settings.keyDescription()),
        () -> raiseMinimum(minimum));
  }

  private String raiseMinimum(int minimum) {
    byte[] body =
        "{\"min_decryption_version\":%d}".formatted(minimum).getBytes(StandardCharsets.US_ASCII);
    try (VaultResponse response = client.send(new VaultRequest.Write(path() + "/config", body))) {
      if (!response.isOk() && response.status() != VaultResponse.NO_CONTENT) {
        throw new ProviderException(
            "min_decryption_version of Transit key %s cannot be raised: the server answered %d"
                .formatted(settings.keyDescription(), response.status()),
            "bao write %s/config min_decryption_version=%d".formatted(path(), minimum));
      }
    }
    return "raised min_decryption_version of Transit key %1$s to %2$d; to erase what is below for good: bao write %3$s/trim min_available_version=%2$d"
        .formatted(settings.keyDescription(), minimum, path());
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
