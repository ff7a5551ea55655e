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
    values.forEach((key, words) -> words.forEach(word -> check(key, word)));
    checkOrder(values);
  }

  /// Whoever reads the variable checks it likewise.
  private static void check(ConfigKey key, Setting word) {
    switch (key) {
      case STORE, RECORDS -> checkUrl(word);
      case KEYRING -> word.keyring();
      case PROVIDERS -> checkProvider(word);
      case INSTANCE, EXPECTED -> ExpectedProcessOptions.instance(word);
      case HEARTBEAT, FRESH, LEASE, EXPIRE, ADOPT ->
          word.duration(DurationText.format(TIMINGS.getOrDefault(key, Duration.ZERO)));
      case ROLES -> ServerSettings.role(word);
      case LISTEN -> ServerSettings.ListenAddress.of(word);
      case LOG_FORMAT -> ServerSettings.logFormat(word);
      case RATE -> ServerSettings.rate(word);
      case MIN_PROCESSES -> ExpectedProcessOptions.atLeast(word);
      case BACKUP_HORIZON -> word.duration("30d");
    }
  }

  private static void checkUrl(Setting word) {
    try {
      StoreUrl url = StoreUrl.parse(word.text());
      if (url.password().isPresent() || PASSWORD.matcher(word.text()).find()) {
        throw word.wrong(
            "a password stands in the URL, and this file keeps no secrets",
            url.scheme() + "://USER@HOST?password-file=FILE, or the URL in a variable");
      }
    } catch (StoreRefusedException e) {
      throw word.wrong(e.getMessage(), e.remedy());
    }
  }

  private static void checkProvider(Setting word) {
    if (word.text().contains(",")) {
      throw word.wrong("a provider's name has no comma in it", "each provider by itself");
    }
    try {
      KekProviderSet.parse(word.text());
    } catch (ProviderException e) {
      throw word.wrong(Console.plain(e.getMessage()), e.remedy());
    }
  }

  /// The file's alone. With variables between them, whoever starts on them checks again.
  private static void checkOrder(Map<ConfigKey, List<Setting>> values) {
    Map<ConfigKey, Duration> set = new EnumMap<>(TIMINGS);
    String place = "";
    for (ConfigKey key : TIMINGS.keySet()) {
      for (Setting word : values.getOrDefault(key, List.of())) {
        set.put(key, word.duration(""));
        place = place.isEmpty() ? word.place() : place;
      }
    }
    Duration[] all = set.values().toArray(Duration[]::new);
    try {
      new Timings(all[0], all[1], all[2], all[3], all[4]);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          place
              + "timings must keep 2 x heartbeat <= fresh < lease < expire,"
              + " 2 x heartbeat <= adopt and 1s <= expire, and are "
              + set.entrySet().stream()
                  .map(ConfigValidator::shown)
                  .collect(Collectors.joining(" ")),
          "leave timings out, and the process takes the fleet's");
    }
  }

  private static String shown(Map.Entry<ConfigKey, Duration> timing) {
    String path = timing.getKey().path();
    return path.substring(path.indexOf('.') + 1) + "=" + DurationText.format(timing.getValue());
  }
}
