/// The `keyfleet` program: finds the command that the arguments name, runs it, and ends with its
/// exit code.
///
/// Decisions are made in the modules below. A command turns arguments into a call, and the result
/// into output: data on standard output, messages on standard error, and one `Try:` line for each
/// failure. Exit codes: 0 done, 1 an error (a usage error too), 2 a condition does not hold, 6 not
/// found, 7 a lost race, 130 ended with Ctrl-C.
///
/// The packages, from the top down: the commands by noun (`kek`, `secret`, `audit`, `doctor`,
/// `demo`) and the long-running processes (`process`); `command`, what a command works with;
/// `config`, settings from flags, variables and file; `output`, what it prints.
///
/// The picocli models are built by hand: reading annotations would take a large part of the start
/// time of a short command.
///
/// Start reading at: [CommandDispatcher], [keyfleet.cli.command.CommandContext],
/// [keyfleet.cli.kek.KekVerifyCommand]; [Main] has the real clock, randomness and exit.
@NullMarked
package keyfleet.cli;

import org.jspecify.annotations.NullMarked;
