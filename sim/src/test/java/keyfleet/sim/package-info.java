@NullMarked
package keyfleet.sim;

import org.jspecify.annotations.NullMarked;
