/// Tests of the watchdog, and fakes of a node's machine that other modules use as well.
///
/// Start reading at: [WatchdogTest], [WatchdogHarness], [WatchdogCrashTest].
@NullMarked
package keyfleet.watchdog;

import org.jspecify.annotations.NullMarked;
