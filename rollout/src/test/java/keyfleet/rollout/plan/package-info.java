@NullMarked
package keyfleet.rollout.plan;

import org.jspecify.annotations.NullMarked;
