package keyfleet.member;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SoftwareKek;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderException;

/// The keys that one process of a [TestFleet] can load. Tests add and remove keys, replace them by
/// wrong ones, or make the provider fail.
public final class TestKeyProvider implements KekProvider {
  private final KeyringName keyring;
  private final IntFunction<SoftwareKek> right;
  private final IntFunction<SoftwareKek> wrong;
  private final Map<Integer, SoftwareKek> keks = new TreeMap<>();
  private boolean failing;

  TestKeyProvider(
      KeyringName keyring, IntFunction<SoftwareKek> right, IntFunction<SoftwareKek> wrong) {
    this.keyring = keyring;
    this.right = right;
    this.wrong = wrong;
  }

  public synchronized TestKeyProvider give(int version) {
    keks.put(version, right.apply(version));
    return this;
  }

  /// Adds other bytes under the same version number.
  public synchronized TestKeyProvider giveWrong(int version) {
    keks.put(version, wrong.apply(version));
    return this;
  }

  public synchronized TestKeyProvider take(int version) {
    keks.remove(version);
    return this;
  }

  public synchronized void fail() {
    failing = true;
  }

  public synchronized void recover() {
    failing = false;
  }

  @Override
  public String name() {
    return TestFleet.PROVIDER;
  }

  @Override
  public synchronized KekSet load() {
    if (failing) {
      throw new ProviderException("the test's keys are gone", "recover()");
    }
    return KekSet.of(keyring, new HashMap<>(keks).values());
  }

  @Override
  public void close() {}
}
