package keyfleet.cli.config;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.keyring.Timings;
import keyfleet.member.DurationText;
import keyfleet.providers.ProviderException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;

/// What may stand behind each key of a file. Apart from [EffectiveConfig], so that nobody loads it
/// where there is no file.
final class ConfigValidator {
  /// In an address behind an address as well: an endpoint's.
  private static final Pattern PASSWORD = Pattern.compile("//[^/?&@]*:[^/?&@]*@");

  private static final Map<ConfigKey, Duration> TIMINGS = new EnumMap<>(ConfigKey.class);

  static {
    TIMINGS.put(ConfigKey.HEARTBEAT, Timings.DEFAULT.heartbeat());
    TIMINGS.put(ConfigKey.FRESH, Timings.DEFAULT.fresh());
    TIMINGS.put(ConfigKey.LEASE, Timings.DEFAULT.lease());
    TIMINGS.put(ConfigKey.EXPIRE, Timings.DEFAULT.expire());
    TIMINGS.put(ConfigKey.ADOPT, Timings.DEFAULT.adopt());
  }

  private ConfigValidator() {}

  /// Throws for the first word that may not stand where it does.
  static void check(Map<ConfigKey, List<Setting>> values) {
    values.forEach((key, settings) -> settings.forEach(setting -> check(key, setting)));
    checkTimings(values);
  }

  /// Whoever reads the variable checks it likewise.
  private static void check(ConfigKey key, Setting setting) {
    switch (key) {
      case STORE, RECORDS -> checkUrl(setting);
      case KEYRING -> setting.toKeyringName();
      case PROVIDERS -> checkProvider(setting);
      case INSTANCE, EXPECTED -> ExpectedProcessOptions.requireInstanceName(setting);
      case HEARTBEAT, FRESH, LEASE, EXPIRE, ADOPT ->
          setting.toDuration(DurationText.format(TIMINGS.getOrDefault(key, Duration.ZERO)));
      case ROLES -> ServerSettings.parseRole(setting);
      case LISTEN -> ServerSettings.ListenAddress.of(setting);
      case LOG_FORMAT -> ServerSettings.logFormat(setting);
      case RATE -> ServerSettings.parseRate(setting);
      case MIN_PROCESSES -> ExpectedProcessOptions.atLeast(setting);
      case BACKUP_HORIZON -> setting.toDuration("30d");
    }
  }

  private static void checkUrl(Setting setting) {
    try {
      StoreUrl url = StoreUrl.parse(setting.text());
      if (url.password().isPresent() || PASSWORD.matcher(setting.text()).find()) {
        throw setting.rejected(
            "a password stands in the URL, and this file keeps no secrets",
            url.scheme() + "://USER@HOST?password-file=FILE, or the URL in a variable");
      }
    } catch (StoreRefusedException e) {
      throw setting.rejected(e.getMessage(), e.remedy());
    }
  }

  private static void checkProvider(Setting setting) {
    if (setting.text().contains(",")) {
      throw setting.rejected("a provider's name has no comma in it", "each provider by itself");
    }
    try {
      KekProviderSet.parseSpec(setting.text());
    } catch (ProviderException e) {
      throw setting.rejected(Console.sanitize(e.getMessage()), e.remedy());
    }
  }

  /// The file's alone. With variables between them, whoever starts on them checks again.
  private static void checkTimings(Map<ConfigKey, List<Setting>> values) {
    Map<ConfigKey, Duration> timings = new EnumMap<>(TIMINGS);
    String location = "";
    for (ConfigKey key : TIMINGS.keySet()) {
      for (Setting setting : values.getOrDefault(key, List.of())) {
        timings.put(key, setting.toDuration(""));
        location = location.isEmpty() ? setting.location() : location;
      }
    }
    Duration[] ordered = timings.values().toArray(Duration[]::new);
    try {
      new Timings(ordered[0], ordered[1], ordered[2], ordered[3], ordered[4]);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          location
              + "timings must keep 2 x heartbeat <= fresh < lease < expire,"
              + " 2 x heartbeat <= adopt and 1s <= expire, and are "
              + timings.entrySet().stream()
                  .map(ConfigValidator::describe)
                  .collect(Collectors.joining(" ")),
          "leave timings out, and the process takes the fleet's");
    }
  }

  private static String describe(Map.Entry<ConfigKey, Duration> timing) {
    String path = timing.getKey().path();
    return path.substring(path.indexOf('.') + 1) + "=" + DurationText.format(timing.getValue());
  }
}
