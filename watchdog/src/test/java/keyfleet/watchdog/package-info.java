/// The tests of this room, and the fakes of a node's machine, which other rooms use as well.
@NullMarked
package keyfleet.watchdog;

import org.jspecify.annotations.NullMarked;
