package keyfleet.providers.vault;

import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.providers.ProviderException;

/// A Transit key as the server describes it: the creation time of each version that can decrypt.
record TransitKey(NavigableMap<KekVersion, Long> creationTimes) {
  /// The types that support associated data, with keys of 256 bits.
  private static final Set<String> TYPES =
      Set.of("aes256-gcm96", "chacha20-poly1305", "xchacha20-poly1305");

  /// Throws [ProviderException] for a key that cannot be used.
  static TransitKey parse(JsonResponse response, VaultSettings settings) {
    String type = response.text("/data/type").orElse("");
    if (!TYPES.contains(type)) {
      throw unusable(settings, type.isEmpty() ? "has no type" : "is of an unsupported type");
    }
    if (response.isTrue("/data/derived")) {
      throw unusable(settings, "derives its keys from a context");
    }
    if (response.isTrue("/data/soft_deleted")) {
      throw unusable(settings, "is deleted, though it can still be restored");
    }
    NavigableMap<KekVersion, Long> creationTimes = new TreeMap<>();
    for (String name : response.memberNames("/data/keys")) {
      Optional<KekVersion> version = KekVersion.parse(name);
      long time = response.number("/data/keys/" + name).orElse(0);
      version.ifPresent(v -> creationTimes.put(v, time));
    }
    if (creationTimes.isEmpty()) {
      throw unusable(settings, "has no usable version");
    }
    return new TransitKey(creationTimes);
  }

  private static ProviderException unusable(VaultSettings settings, String reason) {
    return new ProviderException(
        "Transit key " + settings.keyDescription() + " " + reason + " and cannot hold KEKs",
        "another key: bao write "
            + settings.mount()
            + "/keys/NAME type=aes256-gcm96 (or: vault write …)");
  }
}
