package keyfleet.cli.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import keyfleet.cli.config.SettingSpec.Arity;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.keyring.Timings;
import keyfleet.member.DurationText;
import keyfleet.providers.ProviderException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreUrl;

/// Checks each value of a configuration file with its parser, and what holds only in a file. It is
/// a separate class, so that a command without a file does not load it.
final class ConfigValidator {
  private ConfigValidator() {}

  /// Throws for the first invalid value.
  static void check(Map<String, List<Setting>> values) {
    for (SettingSpec<?> key : ConfigKeys.ALL) {
      values.getOrDefault(key.path(), List.of()).forEach(setting -> check(key, setting));
    }
    checkTimings(values);
  }

  private static void check(SettingSpec<?> key, Setting setting) {
    if (key.arity() == Arity.REPEATED && setting.text().contains(",")) {
      throw setting.rejection(
          "a provider must not contain a comma", "one list entry for each provider");
    }
    try {
      if (key.parser().apply(setting) instanceof StoreUrl url
          && (url.password().isPresent() || setting.hasPassword())) {
        throw setting.rejection(
            "the URL contains a password, but this file must not hold secrets",
            "use %s://USER@HOST%s?password-file=FILE, or the URL in a variable"
                .formatted(url.scheme(), url.scheme().equals("nats") ? "" : "/DATABASE"));
      }
    } catch (StoreRefusedException | ProviderException e) { // these do not name the key
      throw setting.rejection(Console.sanitize(e.getMessage()), e.remedy());
    }
  }

  /// Checks the timings of the file with the defaults. A process that also has timings in variables
  /// checks all of them again.
  private static void checkTimings(Map<String, List<Setting>> values) {
    Timings defaults = Timings.DEFAULT;
    Duration[] timings = {
      defaults.heartbeat(), defaults.fresh(), defaults.lease(), defaults.expire(), defaults.adopt()
    };
    List<String> texts = new ArrayList<>();
    String location = "";
    for (int i = 0; i < timings.length; i++) {
      SettingSpec<Duration> key = ConfigKeys.TIMINGS.get(i);
      for (Setting setting : values.getOrDefault(key.path(), List.of())) {
        timings[i] = key.parser().apply(setting);
        location = location.isEmpty() ? setting.location() : location;
      }
      String name = key.path().substring(key.path().indexOf('.') + 1);
      texts.add(name + "=" + DurationText.format(timings[i]));
    }
    try {
      new Timings(timings[0], timings[1], timings[2], timings[3], timings[4]);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          location
              + "the timings must satisfy 2 x heartbeat <= fresh < lease < expire,"
              + " 2 x heartbeat <= adopt and 1s <= expire, but are "
              + String.join(" ", texts),
          "leave timings out: the process then takes those of the fleet");
    }
  }
}
