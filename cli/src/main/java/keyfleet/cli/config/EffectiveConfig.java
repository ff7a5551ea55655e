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
  private static final String OURS = "KEYFLEET_";

  /// Names of keyrings stand in them, so they follow other rules.
  private static final String KEYS = "KEYFLEET_KEK_";

  /// Of a process without a file.
  static EffectiveConfig of(Map<String, String> environment) {
    refuseMisspelt(environment);
    return new EffectiveConfig(environment, List.of());
  }

  static EffectiveConfig of(ParsedConfig file, Map<String, String> environment) {
    refuseMisspelt(environment);
    ConfigValidator.check(file.values());
    Map<String, String> merged = new HashMap<>(environment);
    file.values()
        .forEach((key, words) -> {
          if (!isSet(key, environment)) {
            merged.put(key.variable(), joined(words));
          }
        });
    return new EffectiveConfig(
        Map.copyOf(merged), DeclaredCollection.of(file.collections(), merged));
  }

  private static boolean isSet(ConfigKey key, Map<String, String> environment) {
    String text = environment.get(key.variable());
    return text != null && !(key.isUrl() && text.isEmpty());
  }

  private static String joined(List<Setting> words) {
    return words.stream().map(Setting::text).collect(Collectors.joining(","));
  }

  /// Two underscores are this program's way to name levels; what has them and is none of its names
  /// would silently do nothing. Others may share the prefix.
  private static void refuseMisspelt(Map<String, String> environment) {
    for (String name : environment.keySet()) {
      if (name.startsWith(OURS)
          && !name.startsWith(KEYS)
          && name.contains("__")
          && !ConfigKey.isVariable(name)) {
        throw new CommandException(
            "there is no setting " + Setting.shown(name),
            SpellingSuggestion.nearest(name, ConfigKey.variables())
                .orElse("unset " + Setting.shown(name)));
      }
    }
  }
}
