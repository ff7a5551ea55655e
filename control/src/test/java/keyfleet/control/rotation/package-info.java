@NullMarked
package keyfleet.control.rotation;

import org.jspecify.annotations.NullMarked;
