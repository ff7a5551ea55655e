package keyfleet.cli;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import keyfleet.providers.ProviderSpec.Surroundings;
import keyfleet.store.StoreUrl;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// Which store a command works on.
final class StoreOptions {
  private static final String STORE = "--store";
  private static final String RECORDS = "--records";
  private static final String HOME_VARIABLE = "KEYFLEET_HOME";

  private StoreOptions() {}

  static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
        OptionSpec.builder(STORE)
            .paramLabel("URL")
            .type(String.class)
            .description(
                "Where the fleet is coordinated. Default: "
                    + ConfigKey.STORE.variable()
                    + ", else a SQLite file in the data folder ("
                    + HOME_VARIABLE
                    + ", else the platform's). One of:",
                "  sqlite:FILE",
                "  postgresql://USER@HOST/DATABASE?password-file=FILE",
                "  mongodb://USER@HOST/DATABASE?password-file=FILE",
                "  nats://USER@HOST?password-file=FILE")
            .build());
  }

  /// As well: where the records are.
  static CommandSpec addWithRecords(CommandSpec spec) {
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

  static Stores open(ParseResult parsed, Office office) {
    Surroundings around = office.around().get();
    StoreUrl store = store(parsed, around);
    String given = given(parsed, RECORDS, ConfigKey.RECORDS, around.environment());
    return Stores.open(office.engines(), store, given.isEmpty() ? store : StoreUrl.parse(given));
  }

  static StoreUrl store(ParseResult parsed, Surroundings around) {
    Map<String, String> environment = around.environment();
    String given = given(parsed, STORE, ConfigKey.STORE, environment);
    return StoreUrl.parse(
        given.isEmpty() ? "sqlite:" + dataFolder(environment).resolve("keyfleet.db") : given);
  }

  private static String given(
      ParseResult parsed, String flag, ConfigKey key, Map<String, String> environment) {
    return Setting.of(parsed, flag, key, environment).map(Setting::text).orElse("");
  }

  static Path dataFolder(Map<String, String> environment) {
    return named(environment, HOME_VARIABLE)
        .or(() -> named(environment, "XDG_DATA_HOME").map(it -> it.resolve("keyfleet")))
        .or(() -> named(environment, "HOME").map(it -> it.resolve(".local/share/keyfleet")))
        .orElseThrow(() ->
            new CommandException(
                "no store is named, and there is no home folder to keep one in",
                STORE + " sqlite:keyfleet.db"));
  }

  private static Optional<Path> named(Map<String, String> environment, String variable) {
    String folder = environment.getOrDefault(variable, "");
    return folder.isEmpty() ? Optional.empty() : Optional.of(Path.of(folder));
  }
}
