package keyfleet.cli.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// A setting: its flag, its environment variable and its key in `keyfleet.yaml`, of which a setting
/// may lack some, and the one parser for all of them.
///
/// @param label what the help shows for the value of the flag
/// @param path the key in the file, with dots between levels
/// @param parser parses one value; its error names the origin of the value
public record SettingSpec<T>(
    String flag,
    String label,
    List<String> description,
    String variable,
    String path,
    Arity arity,
    Function<Setting, T> parser) {
  /// How many values a setting has. Several are a list in the file and have commas between them in
  /// the variable.
  public enum Arity {
    ONE,
    /// The flag has commas too.
    LIST,
    /// The flag may be repeated.
    REPEATED
  }

  public SettingSpec {
    description = List.copyOf(description);
  }

  /// A setting that only a flag sets.
  public static <T> SettingSpec<T> ofFlag(
      String flag, String label, String description, Function<Setting, T> parser) {
    return new SettingSpec<>(flag, label, List.of(description), "", "", Arity.ONE, parser);
  }

  /// A setting that only the environment and the file set.
  static <T> SettingSpec<T> ofVariable(String variable, String path, Function<Setting, T> parser) {
    return new SettingSpec<>("", "", List.of(), variable, path, Arity.ONE, parser);
  }

  SettingSpec<T> withVariable(String newVariable, String newPath) {
    return new SettingSpec<>(flag, label, description, newVariable, newPath, arity, parser);
  }

  SettingSpec<T> withArity(Arity newArity) {
    return new SettingSpec<>(flag, label, description, variable, path, newArity, parser);
  }

  public SettingSpec<T> withDescription(String... text) {
    return new SettingSpec<>(flag, label, List.of(text), variable, path, arity, parser);
  }

  /// The value that applies: the flag, else the variable. `environment` comes from
  /// [EffectiveConfig], so a variable that is not set has the value of the file.
  public Optional<T> find(ParseResult parsed, Map<String, String> environment) {
    return findText(parsed, environment).map(parser);
  }

  public Optional<T> find(ParseResult parsed) {
    return find(parsed, Map.of());
  }

  Optional<T> find(Map<String, String> environment) {
    return findText(environment).map(parser);
  }

  /// The values of a list separated by commas.
  Optional<List<T>> findAll(ParseResult parsed, Map<String, String> environment) {
    return findText(parsed, environment)
        .map(list -> list.splitAtCommas().stream().map(parser).toList());
  }

  public Optional<Setting> findText(ParseResult parsed, Map<String, String> environment) {
    return parsed.hasMatchedOption(flag)
        ? Optional.of(Setting.named(flag, parsed.matchedOptionValue(flag, "")))
        : findText(environment);
  }

  private Optional<Setting> findText(Map<String, String> environment) {
    @Nullable String text = environment.get(variable);
    return text == null ? Optional.empty() : Optional.of(Setting.named(variable, text));
  }
}
