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

/// A word that somebody set, and where: a line of a file, a variable or a flag.
///
/// @param place what stands before the name in a sentence, such as `keyfleet.yaml:3: `
/// @param name with what stands between name and value, such as `store: ` or `--store=`
public record Setting(String location, String name, String text) {
  private static final int MAX_PRINTED = 60;
  private static final String COUNT = "[1-9][0-9]{0,8}";

  static Setting fromLine(String location, String path, String text) {
    return new Setting(location, path + ": ", text);
  }

  static Setting named(String name, String text) {
    return new Setting("", name + "=", text);
  }

  /// The word that counts: a flag's before a variable's. The environment is a [EffectiveConfig]'s,
  /// where what the file says stands for the variables that are not set.
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

  /// Those between commas.
  List<Setting> splitAtCommas() {
    return Arrays.stream(text.split(",", -1))
        .map(part -> new Setting(location, name, part.strip()))
        .toList();
  }

  public Duration toDuration(String example) {
    return DurationText.parse(text)
        .orElseThrow(() -> invalid("a duration: " + DurationText.SYNTAX, example));
  }

  /// `what` it counts, in the plural.
  int toCount(String expected, String example) {
    if (!text.matches(COUNT)) {
      throw invalid("a number of " + expected, example);
    }
    return Integer.parseInt(text);
  }

  KeyringName toKeyringName() {
    if (!KeyringName.isValid(text)) {
      throw invalid("a keyring's name: a-z, 0-9 and -, at most 63, a letter first", "main");
    }
    return new KeyringName(text);
  }

  CommandException invalid(String expected, String example) {
    return new CommandException(
        location + name + printable(text) + " is not " + expected, name + example);
  }

  /// For settings whose words stay unsaid: there may be a secret in them.
  CommandException rejected(String message, String remedy) {
    return new CommandException(location + name + message, remedy);
  }

  /// Safe to print, and short.
  static String printable(String text) {
    String plain = Console.sanitize(text);
    return plain.length() <= MAX_PRINTED ? plain : plain.substring(0, MAX_PRINTED) + "…";
  }
}
