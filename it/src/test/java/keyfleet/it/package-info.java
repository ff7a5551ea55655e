/// What is tested on the whole product: its sources against the rules of the house (`TidyTest`),
/// and real processes against real servers. Nothing depends on this room, so it may name any other.
@NullMarked
package keyfleet.it;

import org.jspecify.annotations.NullMarked;
