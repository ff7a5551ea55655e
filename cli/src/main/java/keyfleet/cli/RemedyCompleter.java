package keyfleet.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.Setting;
import picocli.CommandLine.Model.CommandSpec;

/// Completes a remedy with the context of the failed call, so that a `Try:` line which begins like
/// a command can be pasted.
///
/// | remedy                        | becomes                                                        |
/// |-------------------------------|----------------------------------------------------------------|
/// | `keyfleet …`                  | the command with `--config`, `--keyring`, `--store` … of the call |
/// | `--option=value`, `-o json`   | the call with this option                                      |
/// | one of these with a placeholder, or that does not parse | a sentence                           |
/// | anything else                 | unchanged                                                      |
///
/// @param arguments the arguments of the failed call
/// @param commands finds the command that arguments name, and parses them
record RemedyCompleter(List<String> arguments, CommandFinder commands)
    implements UnaryOperator<String> {
  /// Finds and parses commands.
  interface CommandFinder {
    /// The command with this name, such as `kek list`.
    CommandSpec require(List<String> arguments);

    /// Whether picocli accepts these arguments.
    boolean canParse(List<String> arguments);
  }

  private static final String PROGRAM = "keyfleet ";

  /// Options that say which fleet a command is about.
  private static final List<String> CONTEXT =
      List.of(
          "--config",
          ConfigKeys.KEYRING.flag(),
          ConfigKeys.STORE.flag(),
          ConfigKeys.RECORDS.flag(),
          ConfigKeys.PROVIDERS.flag());

  private static final Pattern CORRECTION = Pattern.compile("-o [a-z]+|--[a-z0-9-]+(=[^\\s,]+)?");
  private static final Pattern PLACEHOLDER = Pattern.compile("(^|[^A-Za-z_$])[A-Z]{3,}([^a-z_]|$)");
  private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");

  RemedyCompleter {
    arguments = List.copyOf(arguments);
  }

  @Override
  public String apply(String remedy) {
    if (remedy.startsWith(PROGRAM)) {
      return completeCommand(remedy);
    }
    if (!remedy.startsWith("-")) {
      return remedy;
    }
    return CORRECTION.matcher(remedy).matches() && !hasPlaceholder(remedy)
        ? completeCorrection(remedy)
        : "use " + remedy;
  }

  private String completeCommand(String remedy) {
    List<String> words = splitWords(remedy.substring(PROGRAM.length()));
    if (hasPlaceholder(remedy) || !commands.canParse(words)) {
      return "run " + remedy;
    }
    List<String> completed = new ArrayList<>(words);
    if (!words.contains("--help")) {
      CommandSpec spec = commands.require(words);
      for (String option : CONTEXT) {
        if (spec.optionsMap().containsKey(option) && valuesOf(option, words).isEmpty()) {
          valuesOf(option, arguments).forEach(it -> completed.add(option + "=" + it));
        }
      }
    }
    return toLine(completed);
  }

  /// The call with this option in place of the one with the same name.
  private String completeCorrection(String remedy) {
    List<String> correction = List.of(remedy.split(" "));
    String option = correction.getFirst().replaceFirst("=.*", "");
    List<String> corrected = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      boolean isReplaced = argument.equals(option) || argument.startsWith(option + "=");
      if (!isReplaced) {
        corrected.add(argument);
      } else if (argument.equals(option) && remedy.length() > option.length()) {
        i++; // its value is the next argument
      }
    }
    corrected.addAll(correction);
    return commands.canParse(corrected) ? toLine(corrected) : "use " + remedy;
  }

  /// A command that was called already helps only after something else has changed. A password is
  /// never repeated.
  private String toLine(List<String> completed) {
    if (completed.equals(arguments)) {
      return "run the same command again, once this has changed";
    }
    return completed.stream().anyMatch(it -> Setting.named("", it).hasPassword())
        ? "run the command again with this option: " + completed.getLast()
        : PROGRAM + completed.stream().map(RemedyCompleter::quote).collect(Collectors.joining(" "));
  }

  /// The words of a command as a shell splits them: single quotes keep spaces.
  static List<String> splitWords(String command) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean isQuoted = false;
    for (int i = 0; i < command.length(); i++) {
      char c = command.charAt(i);
      if (c == '\'') {
        isQuoted = !isQuoted;
      } else if (c == '\\' && !isQuoted && i + 1 < command.length()) {
        word.append(command.charAt(++i));
      } else if (c == ' ' && !isQuoted) {
        words.add(word.toString());
        word.setLength(0);
      } else {
        word.append(c);
      }
    }
    words.add(word.toString());
    return words;
  }

  private static List<String> valuesOf(String option, List<String> words) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.startsWith(option + "=")) {
        values.add(word.substring(option.length() + 1));
      } else if (word.equals(option) && i + 1 < words.size()) {
        values.add(words.get(i + 1));
      }
    }
    return values;
  }

  private static boolean hasPlaceholder(String text) {
    return PLACEHOLDER.matcher(text.replaceAll("'[^']*'", "")).find();
  }

  private static String quote(String word) {
    return PLAIN_WORD.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
