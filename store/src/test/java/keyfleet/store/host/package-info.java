/// Tests of the boot clock and of private files, on the real machine.
///
/// Start reading at: [BootClockTest], [PrivateFileTest].
@NullMarked
package keyfleet.store.host;

import org.jspecify.annotations.NullMarked;
