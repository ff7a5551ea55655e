/// The supervisor of one node's software: it reads what is desired, takes one step at a time, and
/// goes back by itself when the release is bad or nobody confirms it.
@NullMarked
package keyfleet.watchdog;

import org.jspecify.annotations.NullMarked;
