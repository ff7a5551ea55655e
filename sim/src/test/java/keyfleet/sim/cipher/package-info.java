@NullMarked
package keyfleet.sim.cipher;

import org.jspecify.annotations.NullMarked;
