package keyfleet.providers;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;

/// The software KEKs that a provider has loaded so far. The bytes of a version never change, and no
/// two versions may share them: a rotation to the same key would protect nothing.
public final class SoftwareKekRegistry implements AutoCloseable {
  private record RegisteredKek(String source, SoftwareKek kek) {}

  private final KeyringName keyring;
  private final SecureRandom random;
  private final Map<KekVersion, RegisteredKek> registered = new TreeMap<>();
  private final List<SoftwareKek> awaitingClose = new ArrayList<>();

  public SoftwareKekRegistry(KeyringName keyring, SecureRandom random) {
    this.keyring = keyring;
    this.random = random;
  }

  /// Takes ownership of `key`, which was read from `source`: a variable name or a file path.
  public void put(KekVersion version, SecretBytes key, String source) {
    SoftwareKek kek = new SoftwareKek(version, key, random);
    for (var other : registered.entrySet()) {
      boolean sameVersion = other.getKey().equals(version);
      boolean sameBytes = other.getValue().kek().hasSameBytesAs(kek);
      if (sameVersion != sameBytes) {
        kek.close();
        throw sameVersion ? changedBytes(source) : sharedBytes(source, other.getValue().source());
      }
    }
    if (registered.putIfAbsent(version, new RegisteredKek(source, kek)) != null) {
      kek.close();
    }
  }

  private static ProviderException changedBytes(String source) {
    return new ProviderException(
        source + " has other bytes than when it was loaded; a version's bytes never change",
        "put the old bytes back, and give the new ones the next version");
  }

  private static ProviderException sharedBytes(String source, String other) {
    return new ProviderException(
        source + " has the same bytes as " + other + "; each version needs a key of its own",
        "keyfleet kek generate");
  }

  /// Removes all other versions. Their keys are wiped at the next call, one load later, so that
  /// operations in progress can finish.
  public void retain(Set<KekVersion> found) {
    awaitingClose.forEach(SoftwareKek::close);
    awaitingClose.clear();
    registered
        .entrySet()
        .removeIf(entry -> !found.contains(entry.getKey()) && closeLater(entry.getValue()));
  }

  private boolean closeLater(RegisteredKek removed) {
    return awaitingClose.add(removed.kek());
  }

  public KekSet toKekSet() {
    return KekSet.of(keyring, registered.values().stream().map(RegisteredKek::kek).toList());
  }

  @Override
  public void close() {
    retain(Set.of());
    retain(Set.of());
  }
}
