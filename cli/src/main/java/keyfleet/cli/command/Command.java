package keyfleet.cli.command;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// One thing that `keyfleet` can be told to do.
public interface Command {
  CommandSpec spec();

  /// Does it and returns the exit code.
  int run(ParseResult parsed);
}
