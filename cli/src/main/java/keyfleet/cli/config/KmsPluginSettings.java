package keyfleet.cli.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import keyfleet.cli.config.ServerSettings.ListenAddress;
import keyfleet.crypto.KeyringName;
import keyfleet.kms.CallLog;
import keyfleet.kms.KmsPlugin;
import keyfleet.kms.grpc.SocketPath;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.member.ProcessSettings;
import keyfleet.server.EventLog;
import picocli.CommandLine.ParseResult;

/// The settings of `kms-plugin`, from flags and variables.
///
/// @param probeAddress where the plugin answers `/livez`, `/readyz` and `/metrics`
public record KmsPluginSettings(
    KmsPlugin.Settings plugin,
    ListenAddress probeAddress,
    EventLog.Format logFormat,
    TracingSettings tracing) {
  private static final LocalKekLimits DEFAULT_LIMITS = LocalKekLimits.DEFAULT;
  private static final String DEFAULT_USES =
      DEFAULT_LIMITS.softUses() + ":" + DEFAULT_LIMITS.hardUses();
  private static final Duration MAX_AGE = Duration.ofDays(365);
  private static final Pattern CLUSTER_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  private static final SettingSpec<SocketPath> LISTEN =
      SettingSpec.ofFlag(
          "--listen",
          "unix:///PATH",
          "The socket, in a folder that only this user can open.",
          it -> SocketPath.parse(it.text()));
  private static final SettingSpec<String> CLUSTER =
      SettingSpec.ofFlag(
          "--cluster",
          "NAME",
          "The name of the cluster that the plugin serves (default: default).",
          KmsPluginSettings::parseCluster);
  private static final SettingSpec<Path> DATA =
      SettingSpec.ofFlag(
          "--data",
          "DIR",
          "The folder for the snapshot of the plugin. Default: the data folder.",
          it -> Path.of(it.text()));
  private static final SettingSpec<KeyHierarchy> HIERARCHY =
      SettingSpec.ofFlag(
          "--hierarchy",
          "on|off",
          "on: seal with local KEKs (default); off: call the key provider for each request.",
          KmsPluginSettings::parseHierarchy);
  private static final SettingSpec<LocalKekUses> USES =
      SettingSpec.ofFlag(
          "--local-kek-uses",
          "SOFT[:HARD]",
          "Maximum values sealed under one local KEK (default: " + DEFAULT_USES + ").",
          LocalKekUses::of);
  private static final SettingSpec<Duration> AGE =
      SettingSpec.ofFlag(
          "--local-kek-age",
          "DURATION",
          "Maximum age of a local KEK, from 1s to 365d (default: 7d).",
          KmsPluginSettings::parseAge);
  private static final SettingSpec<Integer> CACHE =
      SettingSpec.ofFlag(
          "--local-kek-cache",
          "N",
          "Local KEKs kept in memory (default: " + DEFAULT_LIMITS.cacheSize() + ").",
          it -> it.toCount("local KEKs", "1000"));
  private static final SettingSpec<Duration> PROBE =
      SettingSpec.ofFlag(
          "--remote-probe",
          "DURATION",
          "How often the key provider is checked (default: 30s).",
          it -> it.toDuration("30s"));
  private static final SettingSpec<ListenAddress> PROBES =
      SettingSpec.ofFlag(
          "--probes",
          "HOST:PORT",
          "The address of /livez, /readyz and /metrics (default: 127.0.0.1:0).",
          ListenAddress::of);
  private static final String LOG_REQUESTS = "--log-requests";

  private record LocalKekUses(long soft, long hard) {
    static final LocalKekUses DEFAULT =
        new LocalKekUses(DEFAULT_LIMITS.softUses(), DEFAULT_LIMITS.hardUses());

    static LocalKekUses of(Setting setting) {
      String[] parts = setting.text().split(":", 2);
      long soft = parsePart(setting, parts[0]);
      long hard = parts.length == 2 ? parsePart(setting, parts[1]) : DEFAULT.hard();
      if (soft > hard || hard > DEFAULT.hard()) {
        throw setting
            .withText(soft + ":" + hard)
            .invalidValue("soft:hard with soft <= hard <= " + DEFAULT.hard(), DEFAULT_USES);
      }
      return new LocalKekUses(soft, hard);
    }

    private static int parsePart(Setting setting, String part) {
      return setting.withText(part).toCount("values", DEFAULT_USES);
    }
  }

  public static CommandOptions addTo(CommandOptions options) {
    return TracingSettings.addTo(options)
        .add(LISTEN, CLUSTER, DATA, HIERARCHY, USES, AGE, CACHE, PROBE, PROBES)
        .add(ConfigKeys.LOG_FORMAT)
        .flag(LOG_REQUESTS, "Log one line for each call.");
  }

  public static KmsPluginSettings of(
      ParseResult parsed,
      Map<String, String> environment,
      KeyringName keyring,
      ProcessSettings process,
      String software) {
    KmsPlugin.Settings plugin =
        new KmsPlugin.Settings(
            keyring,
            LISTEN.find(parsed).orElseGet(() -> SocketPath.parse("unix:///run/keyfleet/kms.sock")),
            CLUSTER.find(parsed).orElse("default"),
            DATA.find(parsed).orElseGet(() -> DataFolder.of(environment).path()),
            HIERARCHY.find(parsed).orElse(KeyHierarchy.ON),
            parseLimits(parsed),
            PROBE.find(parsed).orElse(Duration.ofSeconds(30)),
            parsed.hasMatchedOption(LOG_REQUESTS) ? CallLog.ON : CallLog.OFF,
            process,
            software);
    return new KmsPluginSettings(
        plugin,
        PROBES.find(parsed).orElse(ListenAddress.LOCAL),
        ConfigKeys.LOG_FORMAT.find(parsed, environment).orElse(EventLog.Format.TEXT),
        TracingSettings.of(parsed, environment));
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

  private static Duration parseAge(Setting setting) {
    Duration age = setting.toDuration("7d");
    if (age.compareTo(Duration.ofSeconds(1)) < 0 || age.compareTo(MAX_AGE) > 0) {
      throw setting.withText(age.toString()).invalidValue("an age from 1s to 365d", "7d");
    }
    return age;
  }

  private static LocalKekLimits parseLimits(ParseResult parsed) {
    LocalKekUses uses = USES.find(parsed).orElse(LocalKekUses.DEFAULT);
    return new LocalKekLimits(
        uses.soft(),
        uses.hard(),
        AGE.find(parsed).orElse(DEFAULT_LIMITS.maxAge()),
        CACHE.find(parsed).orElse(DEFAULT_LIMITS.cacheSize()));
  }
}
