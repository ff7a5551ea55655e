package keyfleet.crypto;

import java.util.Collection;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;

/// The KEKs of one keyring that a process can use, by version.
public final class KekSet {
  private final KeyringName keyring;
  private final NavigableMap<KekVersion, Kek> byVersion;

  private KekSet(KeyringName keyring, NavigableMap<KekVersion, Kek> byVersion) {
    this.keyring = keyring;
    this.byVersion = byVersion;
  }

  public static KekSet of(KeyringName keyring, Collection<? extends Kek> keks) {
    NavigableMap<KekVersion, Kek> byVersion = new TreeMap<>();
    for (Kek kek : keks) {
      if (byVersion.put(kek.version(), kek) != null) {
        throw new IllegalArgumentException("two KEKs for " + keyring + " " + kek.version());
      }
    }
    return new KekSet(keyring, byVersion);
  }

  public KeyringName keyring() {
    return keyring;
  }

  public Optional<Kek> find(KekVersion version) {
    return Optional.ofNullable(byVersion.get(version));
  }

  public NavigableSet<KekVersion> versions() {
    return Collections.unmodifiableNavigableSet(byVersion.navigableKeySet());
  }
}
