package keyfleet.cli.config;

import java.util.Map;
import java.util.regex.Pattern;
import keyfleet.otel.CollectorAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// Where the KMS plugin sends its spans.
///
/// @param collectorAddress null without tracing
/// @param ratio the share of calls that start a new trace if they arrive without one
public record TracingSettings(@Nullable CollectorAddress collectorAddress, double ratio) {
  /// The only OpenTelemetry variable that this program reads.
  private static final String VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";

  private static final Pattern FRACTION = Pattern.compile("0|1|1\\.0{1,9}|0\\.[0-9]{1,9}");

  private static final SettingSpec<CollectorAddress> ENDPOINT =
      SettingSpec.ofFlag(
              "--otlp-endpoint",
              "URL",
              "An OpenTelemetry collector that accepts spans over HTTP. Default: "
                  + VARIABLE
                  + ", else none.",
              TracingSettings::parseCollector)
          .withVariable(VARIABLE, "");

  private static final SettingSpec<Double> RATIO =
      SettingSpec.ofFlag(
          "--trace-ratio",
          "0..1",
          "The share of calls that start a new trace if they arrive without one (default: 1).",
          TracingSettings::parseRatio);

  static CommandOptions addTo(CommandOptions options) {
    return options.add(ENDPOINT, RATIO);
  }

  /// An empty variable counts as unset, as OpenTelemetry specifies.
  static TracingSettings of(ParseResult parsed, Map<String, String> environment) {
    boolean isSet = !environment.getOrDefault(VARIABLE, "").isBlank();
    return new TracingSettings(
        ENDPOINT.find(parsed, isSet ? environment : Map.of()).orElse(null),
        RATIO.find(parsed).orElse(1.0));
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
