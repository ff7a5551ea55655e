package keyfleet.member.keys;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyfleetException;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.ProofCache;
import keyfleet.crypto.Sentinel.Claim;
import keyfleet.keyring.Heartbeat.Failed;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Heartbeat.ProofStatus;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Heartbeat.Untried;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionEntry;
import keyfleet.providers.KekProvider;
import org.jspecify.annotations.Nullable;

/// The KEKs of one keyring that this process has loaded from its providers. One thread refreshes
/// them; any thread may use them.
public final class LoadedKeys {
  /// What one refresh found. Replaced as a whole.
  private record KeySet(
      KekSet kekSet, EnvelopeCipher cipher, Map<KekVersion, String> providerByVersion) {}

  private final KeyringName keyring;
  private final List<KekProvider> providers;
  private final SecureRandom random;
  private final ProofCache proofCache = new ProofCache();
  private final CryptoMetrics metrics;
  private final Map<KekProvider, KekSet> lastLoaded = new LinkedHashMap<>();
  private volatile KeySet keySet;

  /// Without a clock: the durations of operations are not measured.
  public LoadedKeys(KeyringName keyring, List<KekProvider> providers, SecureRandom random) {
    this(keyring, providers, random, new CryptoMetrics());
  }

  /// Contains no keys until the first [#refresh].
  public LoadedKeys(
      KeyringName keyring,
      List<KekProvider> providers,
      SecureRandom random,
      CryptoMetrics metrics) {
    this.keyring = keyring;
    this.providers = List.copyOf(providers);
    this.random = random;
    this.metrics = metrics;
    this.keySet = toKeySet(List.of(), Map.of());
  }

  /// Loads the keys of every provider. If a provider fails, the keys that it loaded before stay. If
  /// two providers have a version, the first in the list wins. Returns a sentence for each provider
  /// that failed.
  public synchronized List<String> refresh() {
    List<String> faults = new ArrayList<>();
    for (KekProvider provider : providers) {
      try {
        lastLoaded.put(provider, provider.load());
      } catch (KeyfleetException e) {
        faults.add(provider.name() + ": " + e.getMessage());
      }
    }
    Map<KekVersion, Kek> keks = new TreeMap<>();
    Map<KekVersion, String> names = new TreeMap<>();
    for (KekProvider provider : providers) {
      KekSet loaded = lastLoaded.getOrDefault(provider, KekSet.of(keyring, List.of()));
      for (KekVersion version : loaded.versions()) {
        loaded.find(version).ifPresent(kek -> keks.putIfAbsent(version, kek));
        names.putIfAbsent(version, provider.name());
      }
    }
    keySet = toKeySet(keks.values(), names);
    return faults;
  }

  private KeySet toKeySet(Collection<Kek> found, Map<KekVersion, String> names) {
    KekSet kekSet = KekSet.of(keyring, found);
    return new KeySet(kekSet, new EnvelopeCipher(kekSet, random, metrics), names);
  }

  /// The folder in which people place keys of this process; empty if no provider has one.
  public String keyFolder() {
    return providers.stream()
        .map(KekProvider::keyFolder)
        .filter(it -> !it.isEmpty())
        .findFirst()
        .orElse("");
  }

  public KeyringName keyring() {
    return keyring;
  }

  /// A cipher over the keys that are loaded now.
  public EnvelopeCipher cipher() {
    return keySet.cipher();
  }

  /// Finds a KEK, for callers that wrap other keys than an envelope's.
  public Optional<Kek> find(KekVersion version) {
    return keySet.kekSet().find(version);
  }

  /// Counts of what was sealed, opened and rewrapped with these keys.
  public CryptoMetrics metrics() {
    return metrics;
  }

  /// The name of the provider of each loaded version.
  public Map<KekVersion, String> providerByVersion() {
    return Map.copyOf(keySet.providerByVersion());
  }

  /// Tries to prove each loaded version against the keystore. Without a keystore every version is
  /// untried.
  public Map<KekVersion, LoadedVersion> proveAll(@Nullable Keystore keystore, String instance) {
    KeySet now = keySet;
    Map<KekVersion, LoadedVersion> loaded = new HashMap<>();
    now.providerByVersion()
        .forEach((version, provider) -> {
          VersionEntry entry = keystore == null ? null : keystore.versions().get(version);
          ProofStatus status =
              keystore == null || entry == null
                  ? new Untried()
                  : prove(now.cipher(), entry, new Claim(instance, keystore.epoch()));
          loaded.put(version, new LoadedVersion(provider, status));
        });
    return loaded;
  }

  private ProofStatus prove(EnvelopeCipher cipher, VersionEntry entry, Claim claim) {
    try {
      return proofCache
          .prove(entry.sentinel(), cipher, claim)
          .<ProofStatus>map(Proved::new)
          .orElseGet(Failed::new);
    } catch (KekUnavailableException e) {
      return new Untried(); // no answer says nothing about the key's bytes
    }
  }

  /// Whether this process can use `version` now and its bytes are the ones that the keystore means.
  public boolean canProve(Keystore keystore, KekVersion version) {
    VersionEntry entry = keystore.versions().get(version);
    Claim claim = new Claim("", keystore.epoch());
    return entry != null && prove(keySet.cipher(), entry, claim) instanceof Proved;
  }
}
