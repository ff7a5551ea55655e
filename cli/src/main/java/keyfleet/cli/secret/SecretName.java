package keyfleet.cli.secret;

import java.util.regex.Pattern;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import picocli.CommandLine.ParseResult;

/// The name of a secret. Names appear in tables, paths and scripts, so few characters are allowed.
record SecretName(String value) {
  private static final Pattern RULE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,199}");

  static final String RULE_TEXT =
      "use letters, digits and . _ / -, at most 200 characters, a letter or digit first";

  static boolean isValid(String name) {
    return RULE.matcher(name).matches();
  }

  static CommandOptions addTo(CommandOptions options) {
    return options.parameter(
        "NAME", "Letters, digits and . _ / -, at most 200 characters, a letter or digit first.");
  }

  static SecretName of(ParseResult parsed) {
    String name = parsed.matchedPositionalValue(0, "");
    if (!isValid(name)) {
      throw new CommandException(
          Console.sanitize(name) + " is not a secret name; " + RULE_TEXT, "keyfleet secret list");
    }
    return new SecretName(name);
  }

  @Override
  public String toString() {
    return value;
  }
}
