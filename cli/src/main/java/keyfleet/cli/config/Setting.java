package keyfleet.cli.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.crypto.KeyringName;
import keyfleet.member.DurationText;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// A value as text with its origin: a line of a file, a variable or a flag.
///
/// @param location the prefix of an error message, such as `keyfleet.yaml:3: `; empty for flags and
///   variables
/// @param name the name with its separator, such as `store: ` or `--store=`
public record Setting(String location, String name, String text) {
  private static final int MAX_PRINTED = 60;
  private static final String COUNT = "[1-9][0-9]{0,8}";

  static Setting fromLine(String location, String path, String text) {
    return new Setting(location, path + ": ", text);
  }

  static Setting named(String name, String text) {
    return new Setting("", name + "=", text);
  }

  /// The value that applies: the flag, else the variable. `environment` comes from
  /// [EffectiveConfig], so a variable that is not set has the value of the file.
  public static Optional<Setting> find(
      ParseResult parsed, String flag, ConfigKey key, Map<String, String> environment) {
    return parsed.hasMatchedOption(flag)
        ? Optional.of(named(flag, parsed.matchedOptionValue(flag, "")))
        : find(key, environment);
  }

  static Optional<Setting> find(ConfigKey key, Map<String, String> environment) {
    @Nullable String text = environment.get(key.variable());
    return text == null ? Optional.empty() : Optional.of(named(key.variable(), text));
  }

  /// Splits a list at its commas.
  List<Setting> splitAtCommas() {
    return Arrays.stream(text.split(",", -1))
        .map(part -> new Setting(location, name, part.strip()))
        .toList();
  }

  public Duration toDuration(String example) {
    return DurationText.parse(text)
        .orElseThrow(() -> invalidValue("a duration: " + DurationText.SYNTAX, example));
  }

  /// Parses a positive count. `expected` names what is counted, in the plural.
  int toCount(String expected, String example) {
    if (!text.matches(COUNT)) {
      throw invalidValue("a number of " + expected, example);
    }
    return Integer.parseInt(text);
  }

  KeyringName toKeyringName() {
    if (!KeyringName.isValid(text)) {
      throw invalidValue(
          "a keyring name: a-z, 0-9 and -, at most 63 characters, a letter first", "main");
    }
    return new KeyringName(text);
  }

  CommandException invalidValue(String expected, String example) {
    return new CommandException(
        location + name + printable(text) + " is not " + expected, name + example);
  }

  /// An error that does not quote the value, because the value may contain a secret.
  CommandException rejection(String message, String remedy) {
    String label = name.endsWith("=") ? name.substring(0, name.length() - 1) + ": " : name;
    return new CommandException(location + label + message, remedy);
  }

  /// The text, safe to print and cut to a readable length.
  static String printable(String text) {
    String plain = Console.sanitize(text);
    return plain.length() <= MAX_PRINTED ? plain : plain.substring(0, MAX_PRINTED) + "…";
  }
}
