package keyfleet.cli.command;

import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import picocli.CommandLine.ParseResult;

/// Asks before a change that a person must answer for. `--yes` answers in advance.
public final class Confirmation {
  private static final String YES = "--yes";

  private Confirmation() {}

  public static CommandOptions addTo(CommandOptions options) {
    return options.flag(YES, "Do not ask for confirmation.");
  }

  /// Returns if the operator types `name`. Without a terminal there is no one to ask, so `--yes` is
  /// required.
  ///
  /// @param consequence a sentence that says what follows
  /// @param command the command that was given, for the remedy
  public static void require(
      Console console, ParseResult parsed, String name, String consequence, String command) {
    if (parsed.matchedOptionValue(YES, false)) {
      return;
    }
    String withYes = command + " " + YES;
    if (!console.isTerminal()) {
      throw new CommandException("this needs " + YES + ": " + consequence, withYes);
    }
    if (!console.ask(consequence + " Type " + name + " to confirm:").equals(name)) {
      throw new CommandException("nothing was changed", withYes);
    }
  }
}
