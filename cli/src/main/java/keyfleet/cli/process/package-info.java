/// The commands that run a long-lived process: `server` and `kms-plugin`.
///
/// They turn settings into a running process, and stop it on SIGTERM.
///
/// Start reading at: [ServerCommand], [KmsPluginCommand], [ShutdownSignal].
@NullMarked
package keyfleet.cli.process;

import org.jspecify.annotations.NullMarked;
