package keyfleet.cli.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import keyfleet.crypto.KeyringName;
import keyfleet.kms.CallLog;
import keyfleet.kms.KmsPlugin;
import keyfleet.kms.grpc.SocketPath;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.member.ProcessSettings;
import keyfleet.server.EventLog;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// What a KMS plugin is told.
///
/// @param probes where it answers orchestrators and monitors
public record KmsPluginSettings(
    SocketPath listen,
    String cluster,
    Path data,
    KeyHierarchy keyHierarchy,
    LocalKekLimits limits,
    Duration probe,
    CallLog callLog,
    ServerSettings.ListenAddress probes,
    EventLog.Format logFormat,
    TracingSettings tracing) {
  private static final String LISTEN = "--listen";
  private static final String CLUSTER = "--cluster";
  private static final String DATA = "--data";
  private static final String HIERARCHY = "--hierarchy";
  private static final String USES = "--local-kek-uses";
  private static final String AGE = "--local-kek-age";
  private static final String CACHE = "--local-kek-cache";
  private static final String PROBE = "--remote-probe";
  private static final String PROBES = "--probes";
  private static final String LOG_FORMAT = "--log-format";
  private static final String LOG_REQUESTS = "--log-requests";

  private static final String SOCKET = "unix:///run/keyfleet/kms.sock";
  private static final Duration LONGEST_AGE = Duration.ofDays(365);
  private static final Duration USUAL_PROBE = Duration.ofSeconds(30);
  private static final Pattern CLUSTER_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  public static CommandSpec addTo(CommandSpec spec) {
    LocalKekLimits usual = LocalKekLimits.DEFAULT;
    return TracingSettings.addTo(spec)
        .addOption(option(LISTEN, "unix:///PATH", "The socket, in a folder of this user alone."))
        .addOption(option(CLUSTER, "NAME", "The cluster that it serves (default: default)."))
        .addOption(option(DATA, "DIR", "Where its snapshot is kept. Default: the data folder."))
        .addOption(option(HIERARCHY, "on|off", "Local KEKs, or the key's provider for each call."))
        .addOption(
            option(
                USES,
                "SOFT[:HARD]",
                "Values under one local KEK (default: %d:%d)."
                    .formatted(usual.softUses(), usual.hardUses())))
        .addOption(option(AGE, "DURATION", "After which it is replaced (default: 7d)."))
        .addOption(
            option(
                CACHE,
                "N",
                "Local KEKs kept in memory (default: %d).".formatted(usual.cacheSize())))
        .addOption(
            option(PROBE, "DURATION", "How often the key's provider is tried (default: 30s)."))
        .addOption(
            option(
                PROBES,
                "HOST:PORT",
                "Where it answers /livez, /readyz and /metrics (default: 127.0.0.1:0)."))
        .addOption(option(LOG_FORMAT, "FORMAT", "text (default) or json."))
        .addOption(OptionSpec.builder(LOG_REQUESTS).description("A line for each call.").build());
  }

  private static OptionSpec option(String name, String label, String description) {
    return OptionSpec.builder(name)
        .paramLabel(label)
        .type(String.class)
        .description(description)
        .build();
  }

  public static KmsPluginSettings of(ParseResult parsed, Map<String, String> environment) {
    return new KmsPluginSettings(
        SocketPath.parse(word(parsed, LISTEN).map(Setting::text).orElse(SOCKET)),
        word(parsed, CLUSTER).map(KmsPluginSettings::cluster).orElse("default"),
        word(parsed, DATA)
            .map(it -> Path.of(it.text()))
            .orElseGet(() -> DataFolder.of(environment).path()),
        word(parsed, HIERARCHY).map(KmsPluginSettings::hierarchy).orElse(KeyHierarchy.ON),
        limits(parsed),
        word(parsed, PROBE).map(it -> it.duration("30s")).orElse(USUAL_PROBE),
        parsed.hasMatchedOption(LOG_REQUESTS) ? CallLog.ON : CallLog.OFF,
        word(parsed, PROBES)
            .map(ServerSettings.ListenAddress::of)
            .orElse(new ServerSettings.ListenAddress("127.0.0.1", 0)),
        Setting.of(parsed, LOG_FORMAT, ConfigKey.LOG_FORMAT, environment)
            .map(ServerSettings::logFormat)
            .orElse(EventLog.Format.TEXT),
        TracingSettings.of(parsed, environment));
  }

  private static Optional<Setting> word(ParseResult parsed, String flag) {
    return parsed.hasMatchedOption(flag)
        ? Optional.of(Setting.given(flag, parsed.matchedOptionValue(flag, "")))
        : Optional.empty();
  }

  private static String cluster(Setting word) {
    if (!CLUSTER_NAME.matcher(word.text()).matches()) {
      throw word.isNot("a cluster's name: letters, digits and . _ -, at most 63", "default");
    }
    return word.text();
  }

  private static KeyHierarchy hierarchy(Setting word) {
    return switch (word.text()) {
      case "on" -> KeyHierarchy.ON;
      case "off" -> KeyHierarchy.OFF;
      default -> throw word.isNot("on or off", "on");
    };
  }

  private static LocalKekLimits limits(ParseResult parsed) {
    LocalKekLimits usual = LocalKekLimits.DEFAULT;
    Optional<Setting> uses = word(parsed, USES);
    String example = usual.softUses() + ":" + usual.hardUses();
    long soft = uses.map(it -> part(it, 0).count("values", example)).orElse((int) usual.softUses());
    long hard =
        uses.filter(it -> it.text().contains(":"))
            .map(it -> part(it, 1).count("values", example))
            .orElse((int) usual.hardUses());
    if (soft > hard || hard > usual.hardUses()) {
      throw Setting.given(USES, soft + ":" + hard)
          .isNot("soft:hard with soft <= hard <= " + usual.hardUses(), example);
    }
    Duration age = word(parsed, AGE).map(it -> it.duration("7d")).orElse(usual.maxAge());
    if (age.compareTo(Duration.ofSeconds(1)) < 0 || age.compareTo(LONGEST_AGE) > 0) {
      throw Setting.given(AGE, age.toString()).isNot("an age from 1s to 365d", "7d");
    }
    int cached =
        word(parsed, CACHE).map(it -> it.count("local KEKs", "1000")).orElse(usual.cacheSize());
    return new LocalKekLimits(soft, hard, age, cached);
  }

  private static Setting part(Setting word, int which) {
    return Setting.given(USES, word.text().split(":", 2)[which]);
  }

  public KmsPlugin.Settings plugin(KeyringName keyring, ProcessSettings process, String software) {
    return new KmsPlugin.Settings(
        keyring, listen, cluster, data, keyHierarchy, limits, probe, callLog, process, software);
  }
}
