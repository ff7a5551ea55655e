package keyfleet.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionEntry;
import keyfleet.member.MissingKeyRemedy;
import keyfleet.member.keys.CryptoMetrics;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import org.jspecify.annotations.Nullable;

/// The keys that this host can load. Providers are opened when a command first needs a key, because
/// many commands need none and must work on a host without keys.
public final class HostKeys implements AutoCloseable {
  private final KeyringName keyring;
  private final ProviderContext runtime;
  private final Supplier<List<ProviderSpec>> specs;
  private final List<KekProvider> providers = new ArrayList<>();
  private @Nullable LoadedKeys loadedKeys;
  private List<String> providerFaults = List.of();

  HostKeys(KeyringName keyring, ProviderContext runtime, Supplier<List<ProviderSpec>> specs) {
    this.keyring = keyring;
    this.runtime = runtime;
    this.specs = specs;
  }

  public LoadedKeys load() {
    LoadedKeys loaded = loadedKeys;
    if (loaded == null) {
      for (ProviderSpec spec : specs.get()) {
        providers.add(spec.open(keyring, runtime));
      }
      CryptoMetrics cryptoMetrics = new CryptoMetrics(runtime.ticker()::nanos);
      loaded = new LoadedKeys(keyring, providers, runtime.random(), cryptoMetrics);
      providerFaults = loaded.refresh();
      loadedKeys = loaded;
    }
    return loaded;
  }

  /// Loads the keys again, after one was deleted.
  public void reload() {
    providerFaults = load().refresh();
  }

  /// What the providers reported when they were last loaded.
  public List<String> providerFaults() {
    return providerFaults;
  }

  /// A provider of this host that has a key of some version.
  ///
  /// @param isProved whether it is the key that the keystore means
  public record KeyHolder(KekProvider provider, boolean isProved) {}

  /// The providers that have a key of `version`; several may have it during a migration.
  public List<KeyHolder> findHolders(Keystore keystore, KekVersion version) {
    load();
    List<KeyHolder> holders = new ArrayList<>();
    for (KekProvider provider : providers) {
      LoadedKeys own = new LoadedKeys(keyring, List.of(provider), runtime.random());
      providerFaults = merge(providerFaults, own.refresh());
      if (own.find(version).isPresent()) {
        holders.add(new KeyHolder(provider, own.canProve(keystore, version)));
      }
    }
    return holders;
  }

  private static List<String> merge(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).distinct().toList();
  }

  /// No keys, for operations that need none.
  LoadedKeys empty() {
    return new LoadedKeys(keyring, List.of(), runtime.random());
  }

  /// Throws unless this host can load `version`.
  public void requireHeld(KekVersion version) {
    if (!load().providerByVersion().containsKey(version)) {
      List<ProviderSpec> all = specs.get();
      String provider = all.size() == 1 && providerFaults.isEmpty() ? nameOf(all.getFirst()) : "";
      throw new CommandException(
          "this host does not hold %s of keyring %s%s".formatted(version, keyring, faultText()),
          MissingKeyRemedy.forNewKey(provider, keyring, version));
    }
  }

  private static String nameOf(ProviderSpec spec) {
    return switch (spec) {
      case ProviderSpec.Env _ -> "env";
      case ProviderSpec.KeyFolder _ -> "file";
      default -> "";
    };
  }

  /// That this host lacks a version which the fleet has, and what its providers reported.
  public CommandException missing(String subject, Keystore keystore, KekVersion version) {
    VersionEntry entry = keystore.versions().get(version);
    return new CommandException(
        subject + faultText(),
        entry == null
            ? "keyfleet kek list" + KeyOptions.keyringFlag(keyring)
            : MissingKeyRemedy.forCommand(entry.provider(), keyring, version));
  }

  /// Throws unless this host holds the same key for `version` as the fleet.
  public void requireProved(Keystore keystore, KekVersion version) {
    if (!load().providerByVersion().containsKey(version)) {
      throw missing(
          "this host does not hold %s of keyring %s".formatted(version, keyring),
          keystore,
          version);
    }
    if (!load().canProve(keystore, version)) {
      throw missing(
          "this host has a different key for %s: provider %s cannot open the fleet's sentinel"
              .formatted(version, load().providerByVersion().get(version)),
          keystore,
          version);
    }
  }

  /// What the providers reported while loading; empty if they reported nothing.
  private String faultText() {
    return providerFaults.isEmpty() ? "" : ": " + String.join("; ", providerFaults);
  }

  @Override
  public void close() {
    providers.forEach(KekProvider::close);
    providers.clear();
    loadedKeys = null;
  }
}
