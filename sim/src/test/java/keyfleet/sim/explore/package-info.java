@NullMarked
package keyfleet.sim.explore;

import org.jspecify.annotations.NullMarked;
