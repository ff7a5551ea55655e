/// Tests the KMS plugin as it is shipped: as a process, with a trace collector, and as it is
/// packaged.
///
/// Start reading at: [PluginProcessTest], [TracePropagationTest].
@NullMarked
package keyfleet.it.plugin;

import org.jspecify.annotations.NullMarked;
