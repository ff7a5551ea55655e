@NullMarked
package keyfleet.rollout;

import org.jspecify.annotations.NullMarked;
