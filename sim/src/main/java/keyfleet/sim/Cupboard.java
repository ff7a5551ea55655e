package keyfleet.sim;

import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderException;

/// Where a host's keys lie: somebody puts them in and takes them out, and now and then the door is
/// stuck.
final class Cupboard implements KekProvider {
  private final SortedMap<KekVersion, SimKek> keks = new TreeMap<>();
  private boolean stuck;

  /// The bytes that `version` has everywhere in the fleet.
  static SimKek right(int version) {
    return new SimKek(new KekVersion(version), 1_000L * version);
  }

  /// Other bytes under the same number.
  static SimKek wrong(int version) {
    return new SimKek(new KekVersion(version), 1_000L * version + 1);
  }

  void put(SimKek kek) {
    keks.put(kek.version(), kek);
  }

  void remove(KekVersion version) {
    keks.remove(version);
  }

  boolean holds(SimKek kek) {
    return kek.equals(keks.get(kek.version()));
  }

  void stick() {
    stuck = true;
  }

  void mend() {
    stuck = false;
  }

  @Override
  public String name() {
    return "env";
  }

  @Override
  public KekSet load() {
    if (stuck) {
      throw new ProviderException("the cupboard is stuck", "wait");
    }
    return KekSet.of(KeyringName.MAIN, keks.values());
  }

  @Override
  public void close() {}
}
