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

/// The keys that one process of a [TestFleet] can load. More can be given, taken away or replaced
/// by wrong ones, and it can fail.
public final class TestKeyProvider implements KekProvider {
  private final KeyringName keyring;
  private final IntFunction<SoftwareKek> right;
  private final IntFunction<SoftwareKek> wrong;
  private final Map<Integer, SoftwareKek> held = new TreeMap<>();
  private boolean failing;

  TestKeyProvider(
      KeyringName keyring, IntFunction<SoftwareKek> right, IntFunction<SoftwareKek> wrong) {
    this.keyring = keyring;
    this.right = right;
    this.wrong = wrong;
  }

  public synchronized TestKeyProvider give(int version) {
    held.put(version, right.apply(version));
    return this;
  }

  /// Other bytes under the same number.
  public synchronized TestKeyProvider giveWrong(int version) {
    held.put(version, wrong.apply(version));
    return this;
  }

  public synchronized TestKeyProvider take(int version) {
    held.remove(version);
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
      throw new ProviderException("the test's keys are gone", "mend()");
    }
    return KekSet.of(keyring, new HashMap<>(held).values());
  }

  @Override
  public void close() {}
}
