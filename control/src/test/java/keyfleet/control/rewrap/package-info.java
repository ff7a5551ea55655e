@NullMarked
package keyfleet.control.rewrap;

import org.jspecify.annotations.NullMarked;
