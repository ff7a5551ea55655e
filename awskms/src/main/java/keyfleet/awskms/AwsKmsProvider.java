package keyfleet.awskms;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.KeyDeletion;
import keyfleet.providers.ProviderException;

/// KEKs in AWS KMS: each version is a KMS key of its own, named by an alias. An alias with the
/// prefix and no number after it belongs to another keyring: `keyfleet-main-v` is also the start of
/// the aliases of `main-vault`.
final class AwsKmsProvider implements KekProvider {
  private final KeyringName keyring;
  private final String prefix;
  private final AwsKmsClient client;

  /// Never removed: a version that comes back must be the same key.
  private final Map<KekVersion, AwsKmsKek> knownKeks = new HashMap<>();

  AwsKmsProvider(KeyringName keyring, String prefix, AwsKmsClient client) {
    this.keyring = keyring;
    this.prefix = prefix;
    this.client = client;
  }

  @Override
  public String name() {
    return AwsKmsSpec.NAME;
  }

  @Override
  public KekSet load() {
    Map<KekVersion, String> ids = new TreeMap<>();
    client
        .listKeysByAlias(prefix)
        .forEach((number, id) -> KekVersion.parse(number).ifPresent(v -> ids.put(v, id)));
    refuseSharedKeys(ids);
    return KekSet.of(
        keyring,
        ids.entrySet().stream().map(entry -> kekFor(entry.getKey(), entry.getValue())).toList());
  }

  private AwsKmsKek kekFor(KekVersion version, String id) {
    AwsKmsKek kek = knownKeks.computeIfAbsent(version, v -> new AwsKmsKek(keyring, v, id, client));
    if (!kek.id().equals(id)) {
      throw new ProviderException(
          "%s%d named KMS key %s when it was loaded, but now names %s; a version's bytes never change"
              .formatted(prefix, version.number(), kek.id(), id),
          "aws kms update-alias --alias-name %s%d --target-key-id %s, and the next version for the new key"
              .formatted(prefix, version.number(), kek.id()));
    }
    return kek;
  }

  /// AWS deletes a key only after a waiting period of its own, in which it can be restored.
  @Override
  public KeyDeletion prepareDeletion(KekVersion version, Set<KekVersion> kept) {
    AwsKmsKek kek = knownKeks.get(version);
    return new KeyDeletion.ByHand(
        "aws kms schedule-key-deletion --key-id %s --pending-window-in-days 30 && aws kms delete-alias --alias-name %s%d"
            .formatted(kek == null ? "ID" : kek.id(), prefix, version.number()));
  }

  private void refuseSharedKeys(Map<KekVersion, String> ids) {
    Map<String, KekVersion> owners = new HashMap<>();
    ids.forEach((version, id) -> {
      KekVersion other = owners.putIfAbsent(id, version);
      if (other != null) {
        throw new ProviderException(
            "%s%d and %s%d name the same KMS key; each version needs a key of its own"
                .formatted(prefix, other.number(), prefix, version.number()),
            "aws kms create-key, then aws kms update-alias for " + version);
      }
    });
  }

  @Override
  public void close() {
    client.close();
  }
}
