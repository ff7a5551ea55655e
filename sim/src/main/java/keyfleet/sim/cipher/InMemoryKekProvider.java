package keyfleet.sim.cipher;

import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderException;

/// Where a host's keys lie: somebody puts them in and takes them out, and now and then the door is
/// stuck.
public final class InMemoryKekProvider implements KekProvider {
  private final SortedMap<KekVersion, FakeKek> keks = new TreeMap<>();
  private boolean unavailable;

  /// The bytes that `version` has everywhere in the fleet.
  public static FakeKek genuineKek(int version) {
    return new FakeKek(new KekVersion(version), 1_000L * version);
  }

  /// Other bytes under the same number.
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

  public void makeUnavailable() {
    unavailable = true;
  }

  public void makeAvailable() {
    unavailable = false;
  }

  @Override
  public String name() {
    return "env";
  }

  @Override
  public KekSet load() {
    if (unavailable) {
      throw new ProviderException("the cupboard is stuck", "wait");
    }
    return KekSet.of(KeyringName.MAIN, keks.values());
  }

  @Override
  public void close() {}
}
