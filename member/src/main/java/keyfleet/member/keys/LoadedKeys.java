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
import keyfleet.providers.ProviderException;
import org.jspecify.annotations.Nullable;

/// The KEKs of one keyring that this process holds, from all its providers. Whoever looks again for
/// new ones does so alone; any thread uses what was found.
public final class LoadedKeys {
  /// Replaced as a whole.
  private record KeySet(
      KekSet kekSet, EnvelopeCipher cipher, Map<KekVersion, String> providerByVersion) {}

  private final KeyringName keyring;
  private final List<KekProvider> providers;
  private final SecureRandom random;
  private final ProofCache proofCache = new ProofCache();
  private final CryptoMetrics metrics;
  private final Map<KekProvider, KekSet> lastLoaded = new LinkedHashMap<>();
  private volatile KeySet holding;

  /// Without a clock: nobody is told how long its cryptography takes.
  public LoadedKeys(KeyringName keyring, List<KekProvider> providers, SecureRandom random) {
    this(keyring, providers, random, new CryptoMetrics());
  }

  /// Holds nothing until the first [#refresh].
  public LoadedKeys(
      KeyringName keyring,
      List<KekProvider> providers,
      SecureRandom random,
      CryptoMetrics metrics) {
    this.keyring = keyring;
    this.providers = List.copyOf(providers);
    this.random = random;
    this.metrics = metrics;
    this.holding = toKeySet(List.of(), Map.of());
  }

  /// Asks every provider. One that fails keeps what it gave before. If two have a version, the
  /// first in the list counts. Returns what went wrong, in words.
  public synchronized List<String> refresh() {
    List<String> faults = new ArrayList<>();
    for (KekProvider provider : providers) {
      try {
        lastLoaded.put(provider, provider.load());
      } catch (ProviderException | KekUnavailableException e) {
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
    holding = toKeySet(keks.values(), names);
    return faults;
  }

  private KeySet toKeySet(Collection<Kek> found, Map<KekVersion, String> names) {
    KekSet kekSet = KekSet.of(keyring, found);
    return new KeySet(kekSet, new EnvelopeCipher(kekSet, random, metrics), names);
  }

  public KeyringName keyring() {
    return keyring;
  }

  /// For what is held now.
  public EnvelopeCipher cipher() {
    return holding.cipher();
  }

  /// For those who wrap other keys than an envelope's.
  public Optional<Kek> find(KekVersion version) {
    return holding.kekSet().find(version);
  }

  /// What was sealed, opened and moved with the versions that are held.
  public CryptoMetrics metrics() {
    return metrics;
  }

  /// The provider of each version that is held.
  public Map<KekVersion, String> providerByVersion() {
    return Map.copyOf(holding.providerByVersion());
  }

  /// What this process can say of each version it holds. Without a keystore there is nothing to
  /// prove.
  public Map<KekVersion, LoadedVersion> proveAll(@Nullable Keystore keystore, String instance) {
    KeySet now = holding;
    Map<KekVersion, LoadedVersion> loaded = new HashMap<>();
    now.providerByVersion()
        .forEach((version, provider) -> {
          VersionEntry known = keystore == null ? null : keystore.versions().get(version);
          ProofStatus proofStatus =
              keystore == null || known == null
                  ? new Untried()
                  : prove(now.cipher(), known, new Claim(instance, keystore.epoch()));
          loaded.put(version, new LoadedVersion(provider, proofStatus));
        });
    return loaded;
  }

  private ProofStatus prove(EnvelopeCipher cipher, VersionEntry known, Claim claim) {
    try {
      return proofCache
          .prove(known.sentinel(), cipher, claim)
          .<ProofStatus>map(Proved::new)
          .orElseGet(Failed::new);
    } catch (KekUnavailableException e) {
      return new Untried(); // the device says nothing about the bytes
    }
  }

  /// Whether this process can use `version` just now, as the keystore knows it.
  public boolean canProve(Keystore keystore, KekVersion version) {
    VersionEntry known = keystore.versions().get(version);
    Claim claim = new Claim("", keystore.epoch());
    return known != null && prove(holding.cipher(), known, claim) instanceof Proved;
  }
}
