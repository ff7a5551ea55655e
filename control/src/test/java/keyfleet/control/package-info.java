@NullMarked
package keyfleet.control;

import org.jspecify.annotations.NullMarked;
