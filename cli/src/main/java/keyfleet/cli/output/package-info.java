/// What a command prints, and the exit codes it ends with.
///
/// Data goes to standard output, messages to standard error; a failure is one sentence and a `Try:`
/// line. This package knows no store, no key and no configuration.
///
/// Start reading at: [Console], [CommandException], [ExitCode], [JsonOutput].
@NullMarked
package keyfleet.cli.output;

import org.jspecify.annotations.NullMarked;
