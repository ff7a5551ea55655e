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
public record Setting(String place, String name, String text) {
  private static final int SHOWN = 60;
  private static final String COUNT = "[1-9][0-9]{0,8}";

  static Setting line(String place, String path, String text) {
    return new Setting(place, path + ": ", text);
  }

  static Setting given(String name, String text) {
    return new Setting("", name + "=", text);
  }

  /// The word that counts: a flag's before a variable's. The environment is a [EffectiveConfig]'s,
  /// where what the file says stands for the variables that are not set.
  public static Optional<Setting> of(
      ParseResult parsed, String flag, ConfigKey key, Map<String, String> environment) {
    return parsed.hasMatchedOption(flag)
        ? Optional.of(given(flag, parsed.matchedOptionValue(flag, "")))
        : of(key, environment);
  }

  static Optional<Setting> of(ConfigKey key, Map<String, String> environment) {
    @Nullable String text = environment.get(key.variable());
    return text == null ? Optional.empty() : Optional.of(given(key.variable(), text));
  }

  /// Those between commas.
  List<Setting> words() {
    return Arrays.stream(text.split(",", -1))
        .map(word -> new Setting(place, name, word.strip()))
        .toList();
  }

  public Duration duration(String example) {
    return DurationText.parse(text)
        .orElseThrow(() -> isNot("a duration: " + DurationText.SYNTAX, example));
  }

  /// `what` it counts, in the plural.
  int count(String what, String example) {
    if (!text.matches(COUNT)) {
      throw isNot("a number of " + what, example);
    }
    return Integer.parseInt(text);
  }

  KeyringName keyring() {
    if (!KeyringName.isValid(text)) {
      throw isNot("a keyring's name: a-z, 0-9 and -, at most 63, a letter first", "main");
    }
    return new KeyringName(text);
  }

  CommandException isNot(String what, String example) {
    return new CommandException(place + name + shown(text) + " is not " + what, name + example);
  }

  /// For settings whose words stay unsaid: there may be a secret in them.
  CommandException wrong(String sentence, String remedy) {
    return new CommandException(place + name + sentence, remedy);
  }

  /// Safe to print, and short.
  static String shown(String text) {
    String plain = Console.plain(text);
    return plain.length() <= SHOWN ? plain : plain.substring(0, SHOWN) + "…";
  }
}
