/// The `keyfleet` command: words in, words out, an exit code. Everything that decides lives in the
/// rooms below; here their answers become one sentence and a `Try:` line.
///
/// Data goes to standard output, words to standard error. Exit codes: 0 done, 1 an error (a usage
/// error too), 2 a condition that was asked for does not hold, 6 not found, 7 a lost race, 130 left
/// with Ctrl-C.
///
/// A flag stands before a variable, a variable before `keyfleet.yaml`. The file is read into a
/// [ParsedConfig], and checked and merged into a [EffectiveConfig]: from there on its words stand
/// in the variables that nobody set, so whoever reads a variable reads the file too.
///
/// A command that works on a store has a [CommandSession] for its length: the store, the keys of
/// this host, the orders it can give. It holds what a member holds, but beats for nobody; what it
/// orders is done by workers, so it may end, or be ended, at any time.
///
/// Command models are built by hand instead of by annotations: reading annotations costs a short
/// command a good part of its start.
@NullMarked
package keyfleet.cli;

import org.jspecify.annotations.NullMarked;
