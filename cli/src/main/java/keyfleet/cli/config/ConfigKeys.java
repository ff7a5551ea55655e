package keyfleet.cli.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import keyfleet.cli.config.ServerSettings.ListenAddress;
import keyfleet.cli.config.SettingSpec.Arity;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.providers.ProviderSpec;
import keyfleet.server.EventLog;
import keyfleet.server.RateLimit;
import keyfleet.server.Role;
import keyfleet.store.engine.StoreUrl;

/// Every setting that the file and the environment can set. A flag wins over a variable, a variable
/// over the file; all three have the same parser.
///
/// Collections are not here: each has several fields, and only a file can declare them.
public final class ConfigKeys {
  public static final SettingSpec<StoreUrl> STORE =
      SettingSpec.ofFlag("--store", "URL", "", Setting::toStoreUrl)
          .withDescription(
              "The store that coordinates the fleet. Default: KEYFLEET_STORE, else a SQLite file in"
                  + " KEYFLEET_HOME, else in ~/.local/share/keyfleet. One of:",
              "  sqlite:FILE",
              "  postgresql://USER@HOST/DATABASE?password-file=FILE",
              "  mongodb://USER@HOST/DATABASE?password-file=FILE",
              "  nats://USER@HOST?password-file=FILE")
          .withVariable("KEYFLEET_STORE", "store");

  public static final SettingSpec<StoreUrl> RECORDS =
      SettingSpec.ofFlag(
              "--records",
              "URL",
              "The store that holds the sealed records. Default: KEYFLEET_RECORDS, else the store.",
              Setting::toStoreUrl)
          .withVariable("KEYFLEET_RECORDS", "records");

  public static final SettingSpec<KeyringName> KEYRING =
      SettingSpec.ofFlag(
              "--keyring", "NAME", "The keyring (default: main).", Setting::toKeyringName)
          .withVariable("KEYFLEET_KEYRING", "keyring");

  /// Of a server.
  public static final SettingSpec<KeyringName> KEYRINGS =
      SettingSpec.ofFlag("--keyring", "NAME", "", Setting::toKeyringName)
          .withDescription(
              "A keyring to serve; may be repeated. all: every keyring that exists, also those that"
                  + " appear later. Default: KEYFLEET_SERVER__KEYRINGS (a comma list), else"
                  + " KEYFLEET_KEYRING, else main.")
          .withArity(Arity.REPEATED)
          .withVariable("KEYFLEET_SERVER__KEYRINGS", "server.keyrings");

  public static final SettingSpec<ProviderSpec> PROVIDERS =
      SettingSpec.ofFlag("--provider", "PROVIDER", "", it -> KekProviderSet.parseSpec(it.text()))
          .withDescription(
              "A key provider; may be repeated. Default: KEYFLEET_PROVIDER (a comma list), else"
                  + " env. One of:",
              "  env",
              "  file:DIR",
              "  pkcs11:MODULE?token=LABEL&pin-file=FILE (or &pin-fd=N)",
              "  vault:https://HOST:8200?token-file=FILE (&mount=transit&key=NAME)",
              "  awskms:REGION (?alias=NAME)",
              "  simulated:DIR?latency=20ms&rate=100")
          .withArity(Arity.REPEATED)
          .withVariable("KEYFLEET_PROVIDER", "providers");

  static final SettingSpec<String> INSTANCE =
      SettingSpec.ofVariable("KEYFLEET_INSTANCE", "instance", Setting::toInstanceName);

  /// In the order of the parameters of [keyfleet.keyring.Timings].
  static final List<SettingSpec<Duration>> TIMINGS =
      List.of(
          timing("KEYFLEET_TIMING_HEARTBEAT", "timings.heartbeat", "30s"),
          timing("KEYFLEET_TIMING_FRESH", "timings.fresh", "1m"),
          timing("KEYFLEET_TIMING_LEASE", "timings.lease", "90s"),
          timing("KEYFLEET_TIMING_EXPIRE", "timings.expire", "2m"),
          timing("KEYFLEET_TIMING_ADOPT", "timings.adopt", "1m"));

  static final SettingSpec<Role> ROLES =
      SettingSpec.ofFlag(
              "--roles",
              "ROLE,…",
              "The roles of the process: worker, scheduler (default: both).",
              ServerSettings::parseRole)
          .withArity(Arity.LIST)
          .withVariable("KEYFLEET_SERVER__ROLES", "server.roles");

  static final SettingSpec<ListenAddress> LISTEN =
      SettingSpec.ofFlag(
              "--listen",
              "HOST:PORT",
              "The address of /livez, /readyz and /metrics; port 0 picks a free port (default:"
                  + " 127.0.0.1:0).",
              ListenAddress::of)
          .withVariable("KEYFLEET_SERVER__LISTEN", "server.listen");

  static final SettingSpec<EventLog.Format> LOG_FORMAT =
      SettingSpec.ofFlag(
              "--log-format", "FORMAT", "text (default) or json.", ServerSettings::parseLogFormat)
          .withVariable("KEYFLEET_SERVER__LOG_FORMAT", "server.log-format");

  /// Whether the log has debug events.
  public static final SettingSpec<Boolean> LOG_LEVEL =
      SettingSpec.ofFlag(
              "--log-level", "LEVEL", "info (default) or debug.", ServerSettings::parseLogLevel)
          .withVariable("KEYFLEET_SERVER__LOG_LEVEL", "server.log-level");

  static final SettingSpec<RateLimit> RATE =
      SettingSpec.ofFlag(
              "--rate",
              "N",
              "Maximum records that a worker rewraps per second.",
              it -> new RateLimit(it.toCount("records per second", "500")))
          .withVariable("KEYFLEET_ROTATION__RATE", "rotation.rate");

  static final SettingSpec<ExpectedProcesses> MIN_PROCESSES =
      SettingSpec.<ExpectedProcesses>ofFlag(
              "--min-processes",
              "K",
              "The number of fresh processes that the fleet needs to be ready.",
              it -> new AtLeast(it.toCount("processes", "3")))
          .withVariable("KEYFLEET_ROTATION__MIN_PROCESSES", "rotation.min-processes");

  static final SettingSpec<String> EXPECTED =
      SettingSpec.ofFlag(
              "--expect",
              "NAME,…",
              "The processes that the fleet needs to be ready, by instance name.",
              Setting::toInstanceName)
          .withArity(Arity.LIST)
          .withVariable("KEYFLEET_ROTATION__EXPECTED", "rotation.expected");

  public static final SettingSpec<Duration> BACKUP_HORIZON =
      SettingSpec.ofFlag(
              "--horizon",
              "DURATION",
              "With --destroy: how long backups are kept (default: 30d).",
              it -> it.toDuration("30d"))
          .withVariable("KEYFLEET_BACKUP_HORIZON", "backup-horizon");

  static final List<SettingSpec<?>> ALL =
      List.of(
          STORE,
          RECORDS,
          KEYRING,
          PROVIDERS,
          INSTANCE,
          TIMINGS.get(0),
          TIMINGS.get(1),
          TIMINGS.get(2),
          TIMINGS.get(3),
          TIMINGS.get(4),
          ROLES,
          LISTEN,
          KEYRINGS,
          LOG_FORMAT,
          LOG_LEVEL,
          RATE,
          MIN_PROCESSES,
          EXPECTED,
          BACKUP_HORIZON);

  private ConfigKeys() {}

  private static SettingSpec<Duration> timing(String variable, String path, String example) {
    return SettingSpec.ofVariable(variable, path, it -> it.toDuration(example));
  }

  static Optional<SettingSpec<?>> fromPath(String path) {
    for (SettingSpec<?> key : ALL) {
      if (key.path().equals(path)) {
        return Optional.of(key);
      }
    }
    return Optional.empty();
  }

  /// Whether the path has keys below it.
  static boolean isGroup(String path) {
    return paths().stream().anyMatch(it -> it.startsWith(path + "."));
  }

  static List<String> paths() {
    return ALL.stream().map(SettingSpec::path).toList();
  }

  static List<String> variables() {
    return ALL.stream().map(SettingSpec::variable).toList();
  }

  /// Whether the setting is a URL; an empty variable then counts as unset.
  static boolean isUrl(SettingSpec<?> key) {
    return key.path().equals(STORE.path()) || key.path().equals(RECORDS.path());
  }
}
