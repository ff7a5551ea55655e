package keyfleet.providers.vault;

import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.providers.ProviderException;

/// A Transit key as its server describes it: for each version that decrypts, when it was made.
record TransitKey(NavigableMap<KekVersion, Long> made) {
  /// Those that take associated data, with keys of 256 bits.
  private static final Set<String> TYPES =
      Set.of("aes256-gcm96", "chacha20-poly1305", "xchacha20-poly1305");

  /// Throws [ProviderException] for a key that cannot serve.
  static TransitKey of(JsonResponse answer, VaultSettings settings) {
    String type = answer.text("data.type").orElse("");
    if (!TYPES.contains(type)) {
      throw unfit(settings, type.isEmpty() ? "has no type" : "is of another type");
    }
    if (answer.isTrue("data.derived")) {
      throw unfit(settings, "derives its keys from a context");
    }
    if (answer.isTrue("data.soft_deleted")) {
      throw unfit(settings, "is deleted, though it can still be restored");
    }
    NavigableMap<KekVersion, Long> made = new TreeMap<>();
    for (String name : answer.names("data.keys")) {
      Optional<KekVersion> version = KekVersion.parse(name);
      long time = answer.number("data.keys." + name).orElse(0);
      version.ifPresent(v -> made.put(v, time));
    }
    if (made.isEmpty()) {
      throw unfit(settings, "shows no version");
    }
    return new TransitKey(made);
  }

  private static ProviderException unfit(VaultSettings settings, String why) {
    return new ProviderException(
        "Transit key " + settings.place() + " " + why + ", and so cannot hold KEKs",
        "another key: bao write "
            + settings.mount()
            + "/keys/NAME type=aes256-gcm96 (or: vault write …)");
  }
}
