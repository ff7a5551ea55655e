@NullMarked
package keyfleet.rollout.release;

import org.jspecify.annotations.NullMarked;
