package keyfleet.cli.config;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import keyfleet.otel.CollectorAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// Where a plugin's spans go, if anywhere.
///
/// @param collector null if nobody traces
/// @param ratio of the traces that begin in the plugin
public record TracingSettings(@Nullable CollectorAddress collectorAddress, double ratio) {
  private static final String ENDPOINT = "--otlp-endpoint";
  private static final String RATIO = "--trace-ratio";

  /// The one variable of OpenTelemetry's that is heard: it names the same thing in every program.
  private static final String VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";

  private static final Pattern FRACTION = Pattern.compile("0|1|1\\.0{1,9}|0\\.[0-9]{1,9}");

  static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
            option(
                ENDPOINT,
                "URL",
                "An OpenTelemetry collector that takes spans over HTTP. Default: "
                    + VARIABLE
                    + ", else none."))
        .addOption(
            option(
                RATIO,
                "0..1",
                "Of the calls that bring no trace, how many begin one (default: 1)."));
  }

  private static OptionSpec option(String name, String label, String description) {
    return OptionSpec.builder(name)
        .paramLabel(label)
        .type(String.class)
        .description(description)
        .build();
  }

  static TracingSettings of(ParseResult parsed, Map<String, String> environment) {
    return new TracingSettings(
        endpoint(parsed, environment).map(TracingSettings::collector).orElse(null),
        setting(parsed, RATIO).map(TracingSettings::ratio).orElse(1.0));
  }

  private static Optional<Setting> setting(ParseResult parsed, String flag) {
    return parsed.hasMatchedOption(flag)
        ? Optional.of(Setting.named(flag, parsed.matchedOptionValue(flag, "")))
        : Optional.empty();
  }

  /// An empty variable is one that nobody set, as OpenTelemetry has it.
  private static Optional<Setting> endpoint(ParseResult parsed, Map<String, String> environment) {
    String variable = environment.getOrDefault(VARIABLE, "");
    return setting(parsed, ENDPOINT)
        .or(() ->
            variable.isBlank() ? Optional.empty() : Optional.of(Setting.named(VARIABLE, variable)));
  }

  private static CollectorAddress collector(Setting setting) {
    if (setting.text().contains("@")) {
      throw setting.rejected(
          "names a user, and spans are sent as nobody", setting.name() + CollectorAddress.EXAMPLE);
    }
    return CollectorAddress.parse(setting.text())
        .orElseThrow(() ->
            setting.invalid(
                "a collector's address: http://HOST:PORT or https://HOST:PORT is, without a query",
                CollectorAddress.EXAMPLE));
  }

  private static double ratio(Setting setting) {
    if (!FRACTION.matcher(setting.text()).matches()) {
      throw setting.invalid("a ratio: a number from 0 to 1 is", "0.1");
    }
    return Double.parseDouble(setting.text());
  }
}
