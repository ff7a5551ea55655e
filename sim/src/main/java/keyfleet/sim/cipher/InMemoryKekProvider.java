package keyfleet.sim.cipher;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderException;

/// A key provider of one host. The simulation adds and removes keys, and makes the provider
/// unavailable now and then.
public final class InMemoryKekProvider implements KekProvider {
  private final SortedMap<KekVersion, FakeKek> keks = new TreeMap<>();
  private boolean unavailable;

  /// The key that `version` has in the whole fleet.
  public static FakeKek genuineKek(int version) {
    return new FakeKek(new KekVersion(version), 1_000L * version);
  }

  /// Another key under the same version.
  public static FakeKek forgedKek(int version) {
    return new FakeKek(new KekVersion(version), 1_000L * version + 1);
  }

  public void put(FakeKek kek) {
    keks.put(kek.version(), kek);
  }

  public void remove(KekVersion version) {
    keks.remove(version);
  }

  public boolean has(FakeKek kek) {
    return kek.equals(keks.get(kek.version()));
  }

  /// Puts the genuine keys of all versions up to `last` that are not gone. Returns whether one was
  /// missing.
  public boolean restoreGenuineKeks(int last, Predicate<KekVersion> isGone) {
    boolean wasMissing = false;
    for (int version = 1; version <= last; version++) {
      FakeKek kek = genuineKek(version);
      if (!isGone.test(kek.version()) && !has(kek)) {
        put(kek);
        wasMissing = true;
      }
    }
    return wasMissing;
  }

  public void makeUnavailable() {
    unavailable = true;
  }

  public void makeAvailable() {
    unavailable = false;
  }

  public boolean isAvailable() {
    return !unavailable;
  }

  @Override
  public String name() {
    return "env";
  }

  @Override
  public KekSet load() {
    if (unavailable) {
      throw new ProviderException("the key provider is unavailable", "wait");
    }
    return KekSet.of(KeyringName.MAIN, keks.values());
  }

  @Override
  public void close() {}
}
