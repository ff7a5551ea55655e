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

/// Checks each value of a configuration file. It is a separate class, so that a command without a
/// file does not load it.
final class ConfigValidator {
  /// Finds a password in any URL of the text, also in a URL that is the value of a parameter.
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

  /// Throws for the first invalid value.
  static void check(Map<ConfigKey, List<Setting>> values) {
    values.forEach((key, settings) -> settings.forEach(setting -> check(key, setting)));
    checkTimings(values);
  }

  /// Uses the same checks as the code that reads the variable.
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
      case LOG_FORMAT -> ServerSettings.parseLogFormat(setting);
      case RATE -> ServerSettings.parseRate(setting);
      case MIN_PROCESSES -> ExpectedProcessOptions.parseMinimum(setting);
      case BACKUP_HORIZON -> setting.toDuration("30d");
    }
  }

  private static void checkUrl(Setting setting) {
    try {
      StoreUrl url = StoreUrl.parse(setting.text());
      if (url.password().isPresent() || PASSWORD.matcher(setting.text()).find()) {
        throw setting.rejection(
            "the URL contains a password, but this file must not hold secrets",
            url.scheme() + "://USER@HOST?password-file=FILE, or the URL in a variable");
      }
    } catch (StoreRefusedException e) {
      throw setting.rejection(e.getMessage(), e.remedy());
    }
  }

  private static void checkProvider(Setting setting) {
    if (setting.text().contains(",")) {
      throw setting.rejection(
          "a provider must not contain a comma", "one list entry for each provider");
    }
    try {
      KekProviderSet.parseSpec(setting.text());
    } catch (ProviderException e) {
      throw setting.rejection(Console.sanitize(e.getMessage()), e.remedy());
    }
  }

  /// Checks the timings of the file with the defaults. A process that also has timings in variables
  /// checks all of them again.
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
              + "the timings must satisfy 2 x heartbeat <= fresh < lease < expire,"
              + " 2 x heartbeat <= adopt and 1s <= expire, but are "
              + timings.entrySet().stream()
                  .map(ConfigValidator::describe)
                  .collect(Collectors.joining(" ")),
          "leave timings out: the process then takes those of the fleet");
    }
  }

  private static String describe(Map.Entry<ConfigKey, Duration> timing) {
    String path = timing.getKey().path();
    return path.substring(path.indexOf('.') + 1) + "=" + DurationText.format(timing.getValue());
  }
}
