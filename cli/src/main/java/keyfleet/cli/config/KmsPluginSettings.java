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

/// The settings of `kms-plugin`, from flags and variables.
///
/// @param listen the socket for API servers
/// @param probeInterval how often the remote key provider is tried
/// @param probeAddress where the plugin answers `/livez`, `/readyz` and `/metrics`
public record KmsPluginSettings(
    SocketPath listen,
    String cluster,
    Path dataFolder,
    KeyHierarchy keyHierarchy,
    LocalKekLimits limits,
    Duration probeInterval,
    CallLog callLog,
    ServerSettings.ListenAddress probeAddress,
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

  private static final String DEFAULT_SOCKET = "unix:///run/keyfleet/kms.sock";
  private static final Duration MAX_AGE = Duration.ofDays(365);
  private static final Duration DEFAULT_PROBE_INTERVAL = Duration.ofSeconds(30);
  private static final Pattern CLUSTER_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  public static CommandSpec addTo(CommandSpec spec) {
    LocalKekLimits defaults = LocalKekLimits.DEFAULT;
    return TracingSettings.addTo(spec)
        .addOption(
            option(LISTEN, "unix:///PATH", "The socket, in a folder that only this user can open."))
        .addOption(
            option(
                CLUSTER,
                "NAME",
                "The name of the cluster that the plugin serves (default: default)."))
        .addOption(
            option(
                DATA,
                "DIR",
                "The folder for the snapshot of the plugin. Default: the data folder."))
        .addOption(
            option(
                HIERARCHY,
                "on|off",
                "on: seal with local KEKs (default); off: call the key provider for each request."))
        .addOption(
            option(
                USES,
                "SOFT[:HARD]",
                "Maximum values sealed under one local KEK (default: %d:%d)."
                    .formatted(defaults.softUses(), defaults.hardUses())))
        .addOption(
            option(AGE, "DURATION", "Maximum age of a local KEK, from 1s to 365d (default: 7d)."))
        .addOption(
            option(
                CACHE,
                "N",
                "Local KEKs kept in memory (default: %d).".formatted(defaults.cacheSize())))
        .addOption(
            option(PROBE, "DURATION", "How often the key provider is checked (default: 30s)."))
        .addOption(
            option(
                PROBES,
                "HOST:PORT",
                "The address of /livez, /readyz and /metrics (default: 127.0.0.1:0)."))
        .addOption(option(LOG_FORMAT, "FORMAT", "text (default) or json."))
        .addOption(
            OptionSpec.builder(LOG_REQUESTS).description("Log one line for each call.").build());
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
        SocketPath.parse(setting(parsed, LISTEN).map(Setting::text).orElse(DEFAULT_SOCKET)),
        setting(parsed, CLUSTER).map(KmsPluginSettings::parseCluster).orElse("default"),
        setting(parsed, DATA)
            .map(it -> Path.of(it.text()))
            .orElseGet(() -> DataFolder.of(environment).path()),
        setting(parsed, HIERARCHY).map(KmsPluginSettings::parseHierarchy).orElse(KeyHierarchy.ON),
        parseLimits(parsed),
        setting(parsed, PROBE).map(it -> it.toDuration("30s")).orElse(DEFAULT_PROBE_INTERVAL),
        parsed.hasMatchedOption(LOG_REQUESTS) ? CallLog.ON : CallLog.OFF,
        setting(parsed, PROBES)
            .map(ServerSettings.ListenAddress::of)
            .orElse(new ServerSettings.ListenAddress("127.0.0.1", 0)),
        Setting.find(parsed, LOG_FORMAT, ConfigKey.LOG_FORMAT, environment)
            .map(ServerSettings::parseLogFormat)
            .orElse(EventLog.Format.TEXT),
        TracingSettings.of(parsed, environment));
  }

  private static Optional<Setting> setting(ParseResult parsed, String flag) {
    return parsed.hasMatchedOption(flag)
        ? Optional.of(Setting.named(flag, parsed.matchedOptionValue(flag, "")))
        : Optional.empty();
  }

  private static String parseCluster(Setting setting) {
    if (!CLUSTER_NAME.matcher(setting.text()).matches()) {
      throw setting.invalidValue(
          "a cluster name: letters, digits and . _ -, at most 63 characters", "default");
    }
    return setting.text();
  }

  private static KeyHierarchy parseHierarchy(Setting setting) {
    return switch (setting.text()) {
      case "on" -> KeyHierarchy.ON;
      case "off" -> KeyHierarchy.OFF;
      default -> throw setting.invalidValue("on or off", "on");
    };
  }

  private static LocalKekLimits parseLimits(ParseResult parsed) {
    LocalKekLimits defaults = LocalKekLimits.DEFAULT;
    Optional<Setting> uses = setting(parsed, USES);
    String example = defaults.softUses() + ":" + defaults.hardUses();
    long soft =
        uses.map(it -> part(it, 0).toCount("values", example)).orElse((int) defaults.softUses());
    long hard =
        uses.filter(it -> it.text().contains(":"))
            .map(it -> part(it, 1).toCount("values", example))
            .orElse((int) defaults.hardUses());
    if (soft > hard || hard > defaults.hardUses()) {
      throw Setting.named(USES, soft + ":" + hard)
          .invalidValue("soft:hard with soft <= hard <= " + defaults.hardUses(), example);
    }
    Duration age = setting(parsed, AGE).map(it -> it.toDuration("7d")).orElse(defaults.maxAge());
    if (age.compareTo(Duration.ofSeconds(1)) < 0 || age.compareTo(MAX_AGE) > 0) {
      throw Setting.named(AGE, age.toString()).invalidValue("an age from 1s to 365d", "7d");
    }
    int cached =
        setting(parsed, CACHE)
            .map(it -> it.toCount("local KEKs", "1000"))
            .orElse(defaults.cacheSize());
    return new LocalKekLimits(soft, hard, age, cached);
  }

  private static Setting part(Setting setting, int index) {
    return Setting.named(USES, setting.text().split(":", 2)[index]);
  }

  public KmsPlugin.Settings toPluginSettings(
      KeyringName keyring, ProcessSettings process, String software) {
    return new KmsPlugin.Settings(
        keyring,
        listen,
        cluster,
        dataFolder,
        keyHierarchy,
        limits,
        probeInterval,
        callLog,
        process,
        software);
  }
}
