package keyfleet.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.cli.output.CommandException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.keys.CryptoMetrics;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import org.jspecify.annotations.Nullable;

/// The keys that this host holds. Providers are asked when a command first needs a key: many need
/// none, and shall work where there is none.
public final class HostKeys implements AutoCloseable {
  private final KeyringName keyring;
  private final ProviderContext runtime;
  private final Supplier<List<ProviderSpec>> specs;
  private final List<KekProvider> providers = new ArrayList<>();
  private @Nullable LoadedKeys holder;
  private List<String> providerFaults = List.of();

  HostKeys(KeyringName keyring, ProviderContext runtime, Supplier<List<ProviderSpec>> specs) {
    this.keyring = keyring;
    this.runtime = runtime;
    this.specs = specs;
  }

  public LoadedKeys load() {
    LoadedKeys loaded = holder;
    if (loaded == null) {
      for (ProviderSpec spec : specs.get()) {
        providers.add(spec.open(keyring, runtime));
      }
      CryptoMetrics cryptoMetrics = new CryptoMetrics(runtime.ticker()::nanos);
      loaded = new LoadedKeys(keyring, providers, runtime.random(), cryptoMetrics);
      providerFaults = loaded.refresh();
      holder = loaded;
    }
    return loaded;
  }

  /// For orders that need no key.
  LoadedKeys empty() {
    return new LoadedKeys(keyring, List.of(), runtime.random());
  }

  /// Throws unless this host holds `version`.
  public void requireHeld(KekVersion version) {
    if (!load().providerByVersion().containsKey(version)) {
      throw new CommandException(
          "this host does not hold %s of keyring %s%s".formatted(version, keyring, faultText()),
          "keyfleet kek verify --local, with the --provider that has it");
    }
  }

  /// Throws unless this host holds `version` as the keystore knows it.
  public void requireProved(Keystore keystore, KekVersion version) {
    requireHeld(version);
    if (!load().canProve(keystore, version)) {
      throw new CommandException(
          "this host cannot open the sentinel of %s: its %s provider has other bytes"
              .formatted(version, load().providerByVersion().get(version)),
          "give this host the bytes with which " + version + " was announced");
    }
  }

  /// Why a provider gave nothing, if that is the reason.
  private String faultText() {
    return providerFaults.isEmpty() ? "" : ": " + String.join("; ", providerFaults);
  }

  @Override
  public void close() {
    providers.forEach(KekProvider::close);
    providers.clear();
    holder = null;
  }
}
