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
  private final ProviderContext around;
  private final Supplier<List<ProviderSpec>> specs;
  private final List<KekProvider> providers = new ArrayList<>();
  private @Nullable LoadedKeys holder;
  private List<String> faults = List.of();

  HostKeys(KeyringName keyring, ProviderContext around, Supplier<List<ProviderSpec>> specs) {
    this.keyring = keyring;
    this.around = around;
    this.specs = specs;
  }

  public LoadedKeys loaded() {
    LoadedKeys known = holder;
    if (known == null) {
      for (ProviderSpec spec : specs.get()) {
        providers.add(spec.open(keyring, around));
      }
      CryptoMetrics cryptoMetrics = new CryptoMetrics(around.ticker()::nanos);
      known = new LoadedKeys(keyring, providers, around.random(), cryptoMetrics);
      faults = known.refresh();
      holder = known;
    }
    return known;
  }

  /// For orders that need no key.
  LoadedKeys none() {
    return new LoadedKeys(keyring, List.of(), around.random());
  }

  /// Throws unless this host holds `version`.
  public void needHeld(KekVersion version) {
    if (!loaded().providerByVersion().containsKey(version)) {
      throw new CommandException(
          "this host does not hold %s of keyring %s%s".formatted(version, keyring, because()),
          "keyfleet kek verify --local, with the --provider that has it");
    }
  }

  /// Throws unless this host holds `version` as the keystore knows it.
  public void needProved(Keystore keystore, KekVersion version) {
    needHeld(version);
    if (!loaded().canProve(keystore, version)) {
      throw new CommandException(
          "this host cannot open the sentinel of %s: its %s provider has other bytes"
              .formatted(version, loaded().providerByVersion().get(version)),
          "give this host the bytes with which " + version + " was announced");
    }
  }

  /// Why a provider gave nothing, if that is the reason.
  private String because() {
    return faults.isEmpty() ? "" : ": " + String.join("; ", faults);
  }

  @Override
  public void close() {
    providers.forEach(KekProvider::close);
    providers.clear();
    holder = null;
  }
}
