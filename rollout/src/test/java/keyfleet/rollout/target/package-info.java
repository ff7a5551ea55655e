@NullMarked
package keyfleet.rollout.target;

import org.jspecify.annotations.NullMarked;
