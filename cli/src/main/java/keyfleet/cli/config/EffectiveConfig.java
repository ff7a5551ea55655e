package keyfleet.cli.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import keyfleet.cli.output.CommandException;

/// The configuration of a process without its flags: its environment variables, and for each
/// variable that is not set the checked value of the file.
public record EffectiveConfig(
    Map<String, String> environment, List<DeclaredCollection> collections) {
  private static final String PREFIX = "KEYFLEET_";

  /// Variables with keys contain keyring names, so any suffix is allowed.
  private static final String KEY_PREFIX = "KEYFLEET_KEK_";

  /// The configuration of a process without a file.
  static EffectiveConfig of(Map<String, String> environment) {
    rejectMisspelled(environment);
    return new EffectiveConfig(environment, List.of());
  }

  static EffectiveConfig of(ParsedConfig file, Map<String, String> environment) {
    rejectMisspelled(environment);
    ConfigValidator.check(file.values());
    Map<String, String> merged = new HashMap<>(environment);
    for (SettingSpec<?> key : ConfigKeys.ALL) {
      List<Setting> settings = file.values().getOrDefault(key.path(), List.of());
      if (!settings.isEmpty() && !isSet(key, environment)) {
        merged.put(key.variable(), join(settings));
      }
    }
    return new EffectiveConfig(
        Map.copyOf(merged), DeclaredCollection.of(file.collections(), merged));
  }

  private static boolean isSet(SettingSpec<?> key, Map<String, String> environment) {
    String text = environment.get(key.variable());
    return text != null && !(ConfigKeys.isUrl(key) && text.isEmpty());
  }

  private static String join(List<Setting> settings) {
    return settings.stream().map(Setting::text).collect(Collectors.joining(","));
  }

  /// Rejects unknown variables with two underscores, our separator of levels: a misspelled one
  /// would have no effect. Other programs may share the prefix, so other names are ignored.
  private static void rejectMisspelled(Map<String, String> environment) {
    for (String name : environment.keySet()) {
      if (name.startsWith(PREFIX)
          && !name.startsWith(KEY_PREFIX)
          && name.contains("__")
          && !ConfigKeys.variables().contains(name)) {
        throw new CommandException(
            "unknown setting " + Setting.printable(name),
            SpellingSuggestion.nearest(name, ConfigKeys.variables())
                .orElse("unset " + Setting.printable(name)));
      }
    }
  }
}
