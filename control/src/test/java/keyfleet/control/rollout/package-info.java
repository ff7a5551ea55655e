@NullMarked
package keyfleet.control.rollout;

import org.jspecify.annotations.NullMarked;
