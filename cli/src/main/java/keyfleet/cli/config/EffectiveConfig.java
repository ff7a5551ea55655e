package keyfleet.cli.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import keyfleet.cli.output.CommandException;

/// What a process is told before its flags: its variables, and for those that are not set what the
/// file says, checked and as if it stood in the variable.
public record EffectiveConfig(
    Map<String, String> environment, List<DeclaredCollection> collections) {
  private static final String PREFIX = "KEYFLEET_";

  /// Names of keyrings stand in them, so they follow other rules.
  private static final String KEY_PREFIX = "KEYFLEET_KEK_";

  /// Of a process without a file.
  static EffectiveConfig of(Map<String, String> environment) {
    rejectMisspelled(environment);
    return new EffectiveConfig(environment, List.of());
  }

  static EffectiveConfig of(ParsedConfig file, Map<String, String> environment) {
    rejectMisspelled(environment);
    ConfigValidator.check(file.values());
    Map<String, String> merged = new HashMap<>(environment);
    file.values()
        .forEach((key, settings) -> {
          if (!isSet(key, environment)) {
            merged.put(key.variable(), join(settings));
          }
        });
    return new EffectiveConfig(
        Map.copyOf(merged), DeclaredCollection.of(file.collections(), merged));
  }

  private static boolean isSet(ConfigKey key, Map<String, String> environment) {
    String text = environment.get(key.variable());
    return text != null && !(key.isUrl() && text.isEmpty());
  }

  private static String join(List<Setting> settings) {
    return settings.stream().map(Setting::text).collect(Collectors.joining(","));
  }

  /// Two underscores are this program's way to name levels; what has them and is none of its names
  /// would silently do nothing. Others may share the prefix.
  private static void rejectMisspelled(Map<String, String> environment) {
    for (String name : environment.keySet()) {
      if (name.startsWith(PREFIX)
          && !name.startsWith(KEY_PREFIX)
          && name.contains("__")
          && !ConfigKey.isVariable(name)) {
        throw new CommandException(
            "there is no setting " + Setting.printable(name),
            SpellingSuggestion.nearest(name, ConfigKey.variables())
                .orElse("unset " + Setting.printable(name)));
      }
    }
  }
}
