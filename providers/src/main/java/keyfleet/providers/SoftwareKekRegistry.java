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

/// The software KEKs that a provider has read so far. A version's bytes never change here, and no
/// two versions share them: rotating to the same key would be a rotation in name only.
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

  /// Takes over `key`, read from `source`: a variable's name or a file's path.
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

  /// Lets go of all other versions. They are wiped at the next call, one load later, so that an
  /// operation under way with the previous keys ends well.
  public void retain(Set<KekVersion> found) {
    awaitingClose.forEach(SoftwareKek::close);
    awaitingClose.clear();
    registered
        .entrySet()
        .removeIf(entry -> !found.contains(entry.getKey()) && drop(entry.getValue()));
  }

  private boolean drop(RegisteredKek removed) {
    return awaitingClose.add(removed.kek());
  }

  public KekSet kekSet() {
    return KekSet.of(keyring, registered.values().stream().map(RegisteredKek::kek).toList());
  }

  @Override
  public void close() {
    retain(Set.of());
    retain(Set.of());
  }
}
