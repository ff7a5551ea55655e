package keyfleet.cli.command;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// One subcommand of `keyfleet`.
public interface Command {
  /// The options and help texts, for picocli.
  CommandSpec spec();

  /// Executes the command and returns the exit code.
  int run(ParseResult parsed);
}
