package keyfleet.cli.config;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import keyfleet.otel.CollectorAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// Where the KMS plugin sends its spans.
///
/// @param collectorAddress null without tracing
/// @param ratio the share of calls that start a new trace if they arrive without one
public record TracingSettings(@Nullable CollectorAddress collectorAddress, double ratio) {
  private static final String ENDPOINT = "--otlp-endpoint";
  private static final String RATIO = "--trace-ratio";

  /// The only OpenTelemetry variable that this program reads.
  private static final String VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";

  private static final Pattern FRACTION = Pattern.compile("0|1|1\\.0{1,9}|0\\.[0-9]{1,9}");

  static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
            option(
                ENDPOINT,
                "URL",
                "An OpenTelemetry collector that accepts spans over HTTP. Default: "
                    + VARIABLE
                    + ", else none."))
        .addOption(
            option(
                RATIO,
                "0..1",
                "The share of calls that start a new trace if they arrive without one (default:"
                    + " 1)."));
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
        endpoint(parsed, environment).map(TracingSettings::parseCollector).orElse(null),
        setting(parsed, RATIO).map(TracingSettings::parseRatio).orElse(1.0));
  }

  private static Optional<Setting> setting(ParseResult parsed, String flag) {
    return parsed.hasMatchedOption(flag)
        ? Optional.of(Setting.named(flag, parsed.matchedOptionValue(flag, "")))
        : Optional.empty();
  }

  /// An empty variable counts as unset, as OpenTelemetry specifies.
  private static Optional<Setting> endpoint(ParseResult parsed, Map<String, String> environment) {
    String variable = environment.getOrDefault(VARIABLE, "");
    return setting(parsed, ENDPOINT)
        .or(() ->
            variable.isBlank() ? Optional.empty() : Optional.of(Setting.named(VARIABLE, variable)));
  }

  private static CollectorAddress parseCollector(Setting setting) {
    if (setting.text().contains("@")) {
      throw setting.rejection(
          "the URL names a user, but spans are sent without credentials",
          setting.name() + CollectorAddress.EXAMPLE);
    }
    return CollectorAddress.parse(setting.text())
        .orElseThrow(() ->
            setting.invalidValue(
                "a collector address; use http://HOST:PORT or https://HOST:PORT without a query",
                CollectorAddress.EXAMPLE));
  }

  private static double parseRatio(Setting setting) {
    if (!FRACTION.matcher(setting.text()).matches()) {
      throw setting.invalidValue("a ratio; use a number from 0 to 1", "0.1");
    }
    return Double.parseDouble(setting.text());
  }
}
