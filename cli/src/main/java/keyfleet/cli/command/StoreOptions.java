package keyfleet.cli.command;

import java.util.Map;
import java.util.Optional;
import keyfleet.cli.config.ConfigKey;
import keyfleet.cli.config.DataFolder;
import keyfleet.cli.config.Setting;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.store.engine.StoreUrl;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// The options that name the store and the records of a command.
public final class StoreOptions {
  private static final String STORE = "--store";
  private static final String RECORDS = "--records";

  private StoreOptions() {}

  public static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
        OptionSpec.builder(STORE)
            .paramLabel("URL")
            .type(String.class)
            .description(
                "The store that coordinates the fleet. Default: "
                    + ConfigKey.STORE.variable()
                    + ", else a SQLite file in "
                    + DataFolder.VARIABLE
                    + ", else in ~/.local/share/keyfleet. One of:",
                "  sqlite:FILE",
                "  postgresql://USER@HOST/DATABASE?password-file=FILE",
                "  mongodb://USER@HOST/DATABASE?password-file=FILE",
                "  nats://USER@HOST?password-file=FILE")
            .build());
  }

  /// Adds `--records` too.
  public static CommandSpec addWithRecords(CommandSpec spec) {
    return addTo(spec)
        .addOption(
            OptionSpec.builder(RECORDS)
                .paramLabel("URL")
                .type(String.class)
                .description(
                    "The store that holds the sealed records. Default: "
                        + ConfigKey.RECORDS.variable()
                        + ", else the store.")
                .build());
  }

  public static StoreConnections open(ParseResult parsed, CommandContext context) {
    ProviderContext runtime = context.runtime().get();
    defaultFolder(parsed, runtime).ifPresent(DataFolder::requireExisting);
    StoreUrl store = storeUrl(parsed, runtime);
    String recordsUrl = settingText(parsed, RECORDS, ConfigKey.RECORDS, runtime.environment());
    return StoreConnections.open(
        context.openEngine(), store, recordsUrl.isEmpty() ? store : StoreUrl.parse(recordsUrl));
  }

  /// Creates the folder of the default store, for commands that may be the first to use that store.
  public static void createDataFolder(ParseResult parsed, CommandContext context) {
    defaultFolder(parsed, context.runtime().get()).ifPresent(DataFolder::create);
  }

  public static StoreUrl storeUrl(ParseResult parsed, ProviderContext runtime) {
    return StoreUrl.parse(
        defaultFolder(parsed, runtime)
            .map(DataFolder::storeUrl)
            .orElseGet(() -> settingText(parsed, STORE, ConfigKey.STORE, runtime.environment())));
  }

  /// The folder of the default store; empty if a store is named.
  private static Optional<DataFolder> defaultFolder(ParseResult parsed, ProviderContext runtime) {
    Map<String, String> environment = runtime.environment();
    return settingText(parsed, STORE, ConfigKey.STORE, environment).isEmpty()
        ? Optional.of(DataFolder.of(environment))
        : Optional.empty();
  }

  private static String settingText(
      ParseResult parsed, String flag, ConfigKey key, Map<String, String> environment) {
    return Setting.find(parsed, flag, key, environment).map(Setting::text).orElse("");
  }
}
