/// What a command is, and what it works with: console, configuration, store, and the keys of this
/// host.
///
/// Start reading at: [Command], [CommandContext], [CommandSession].
@NullMarked
package keyfleet.cli.command;

import org.jspecify.annotations.NullMarked;
