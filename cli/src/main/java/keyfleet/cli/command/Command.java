package keyfleet.cli.command;

import keyfleet.cli.config.CommandOptions;
import picocli.CommandLine.ParseResult;

/// One subcommand of `keyfleet`.
public interface Command {
  CommandOptions options();

  /// Executes the command and returns the exit code.
  int run(ParseResult parsed);
}
