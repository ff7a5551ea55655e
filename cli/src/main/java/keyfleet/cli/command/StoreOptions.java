package keyfleet.cli.command;

import java.util.Optional;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.DataFolder;
import keyfleet.cli.config.Setting;
import keyfleet.cli.config.SettingSpec;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import picocli.CommandLine.ParseResult;

/// Opens the stores that the options of a command name.
public final class StoreOptions {
  private StoreOptions() {}

  public static StoreConnections open(ParseResult parsed, CommandContext context) {
    ProviderContext runtime = context.runtime().get();
    defaultFolder(parsed, runtime).ifPresent(DataFolder::requireExisting);
    StoreUrl store = storeUrl(parsed, runtime);
    return StoreConnections.open(
        context.openEngine(), store, find(ConfigKeys.RECORDS, parsed, runtime).orElse(store));
  }

  /// Opens the store alone, for a command that needs no records.
  public static Engine openStore(ParseResult parsed, CommandContext context) {
    ProviderContext runtime = context.runtime().get();
    defaultFolder(parsed, runtime).ifPresent(DataFolder::requireExisting);
    return context.openEngine().apply(storeUrl(parsed, runtime));
  }

  /// Creates the folder of the default store, for commands that may be the first to use that store.
  public static void createDataFolder(ParseResult parsed, CommandContext context) {
    defaultFolder(parsed, context.runtime().get()).ifPresent(DataFolder::create);
  }

  public static StoreUrl storeUrl(ParseResult parsed, ProviderContext runtime) {
    return defaultFolder(parsed, runtime)
        .map(folder -> StoreUrl.parse(folder.storeUrl()))
        .or(() -> find(ConfigKeys.STORE, parsed, runtime))
        .orElseThrow();
  }

  /// The folder of the default store; empty if a store is named.
  private static Optional<DataFolder> defaultFolder(ParseResult parsed, ProviderContext runtime) {
    return findText(ConfigKeys.STORE, parsed, runtime).isEmpty()
        ? Optional.of(DataFolder.of(runtime.environment()))
        : Optional.empty();
  }

  private static Optional<StoreUrl> find(
      SettingSpec<StoreUrl> url, ParseResult parsed, ProviderContext runtime) {
    return findText(url, parsed, runtime).map(url.parser());
  }

  /// An empty variable counts as unset; an empty flag is a mistake, often an unset shell variable.
  private static Optional<Setting> findText(
      SettingSpec<StoreUrl> url, ParseResult parsed, ProviderContext runtime) {
    return url.findText(parsed, runtime.environment())
        .filter(it -> parsed.hasMatchedOption(url.flag()) || !it.text().isEmpty());
  }
}
