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

/// Which store a command works on.
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
                "Where the fleet is coordinated. Default: "
                    + ConfigKey.STORE.variable()
                    + ", else a SQLite file in the data folder ("
                    + DataFolder.VARIABLE
                    + ", else the platform's). One of:",
                "  sqlite:FILE",
                "  postgresql://USER@HOST/DATABASE?password-file=FILE",
                "  mongodb://USER@HOST/DATABASE?password-file=FILE",
                "  nats://USER@HOST?password-file=FILE")
            .build());
  }

  /// As well: where the records are.
  public static CommandSpec addWithRecords(CommandSpec spec) {
    return addTo(spec)
        .addOption(
            OptionSpec.builder(RECORDS)
                .paramLabel("URL")
                .type(String.class)
                .description(
                    "Where the sealed records are. Default: "
                        + ConfigKey.RECORDS.variable()
                        + ", else the store.")
                .build());
  }

  public static StoreConnections open(ParseResult parsed, CommandContext office) {
    ProviderContext around = office.around().get();
    home(parsed, around).ifPresent(DataFolder::need);
    StoreUrl store = store(parsed, around);
    String given = given(parsed, RECORDS, ConfigKey.RECORDS, around.environment());
    return StoreConnections.open(
        office.engines(), store, given.isEmpty() ? store : StoreUrl.parse(given));
  }

  /// For commands that begin something, before they open the store.
  public static void makeHome(ParseResult parsed, CommandContext office) {
    home(parsed, office.around().get()).ifPresent(DataFolder::make);
  }

  public static StoreUrl store(ParseResult parsed, ProviderContext around) {
    return StoreUrl.parse(
        home(parsed, around)
            .map(DataFolder::store)
            .orElseGet(() -> given(parsed, STORE, ConfigKey.STORE, around.environment())));
  }

  /// The folder of the default store; nothing if a store is named.
  private static Optional<DataFolder> home(ParseResult parsed, ProviderContext around) {
    Map<String, String> environment = around.environment();
    return given(parsed, STORE, ConfigKey.STORE, environment).isEmpty()
        ? Optional.of(DataFolder.of(environment))
        : Optional.empty();
  }

  private static String given(
      ParseResult parsed, String flag, ConfigKey key, Map<String, String> environment) {
    return Setting.of(parsed, flag, key, environment).map(Setting::text).orElse("");
  }
}
