@NullMarked
package keyfleet.wire;

import org.jspecify.annotations.NullMarked;
