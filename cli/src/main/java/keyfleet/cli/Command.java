package keyfleet.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// One thing that `keyfleet` can be told to do.
interface Command {
  CommandSpec spec();

  /// Does it and returns the exit code.
  int run(ParseResult parsed);
}
