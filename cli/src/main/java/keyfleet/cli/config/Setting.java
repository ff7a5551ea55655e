package keyfleet.cli.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.crypto.KeyringName;
import keyfleet.member.DurationText;
import keyfleet.member.MemberException;
import keyfleet.member.ProcessSettings;
import keyfleet.store.engine.StoreUrl;

/// A value as text with its origin: a line of a file, a variable or a flag.
///
/// @param location the prefix of an error message, such as `keyfleet.yaml:3: `; empty for flags and
///   variables
/// @param name the name with its separator, such as `store: ` or `--store=`
public record Setting(String location, String name, String text) {
  private static final int MAX_PRINTED = 60;
  private static final Pattern PASSWORD = Pattern.compile("//[^/?&@]*:[^/?&@]*@");
  private static final String COUNT = "[1-9][0-9]{0,8}";

  static Setting fromLine(String location, String path, String text) {
    return new Setting(location, path + ": ", text);
  }

  public static Setting named(String name, String text) {
    return new Setting("", name + "=", text);
  }

  /// A part or a corrected form of this value, with the same origin.
  Setting withText(String newText) {
    return new Setting(location, name, newText);
  }

  /// Splits a list at its commas.
  List<Setting> splitAtCommas() {
    return Arrays.stream(text.split(",", -1)).map(part -> withText(part.strip())).toList();
  }

  public Duration toDuration(String example) {
    return DurationText.parse(text)
        .orElseThrow(() -> invalidValue("a duration: " + DurationText.SYNTAX, example));
  }

  /// Parses a positive count. `expected` names what is counted, in the plural.
  public int toCount(String expected, String example) {
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

  /// Parses a number from 1 to `maximum`; `Long.MAX_VALUE` stands for no limit.
  public long toNumber(long maximum, String example) {
    long number = text.matches("[0-9]{1,16}") ? Long.parseLong(text) : 0;
    if (number < 1 || number > maximum) {
      throw invalidValue(
          "a number from 1" + (maximum == Long.MAX_VALUE ? " upwards" : " to " + maximum), example);
    }
    return number;
  }

  String toInstanceName() {
    try {
      return ProcessSettings.requireValidName(text);
    } catch (MemberException e) {
      throw rejection(e.getMessage(), name + "api-1");
    }
  }

  /// Other users of the host can read a command line, so a flag must not contain a password.
  StoreUrl toStoreUrl() {
    boolean isFlag = name.startsWith("--");
    if (isFlag && text.isEmpty()) {
      throw rejection("the store URL is empty", "leave " + flagName() + " out, or name a store");
    }
    if (isFlag && hasPassword()) {
      throw rejection(
          "the URL contains a password, which other users of this host could read",
          "use %s=SCHEME://USER@HOST/DATABASE?password-file=FILE, or the URL in a variable"
              .formatted(flagName()));
    }
    return StoreUrl.parse(text);
  }

  private String flagName() {
    return name.substring(0, name.length() - 1);
  }

  /// Whether any URL in the text has a password, also a URL that is the value of a parameter.
  public boolean hasPassword() {
    return PASSWORD.matcher(text).find();
  }

  public CommandException invalidValue(String expected, String example) {
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
