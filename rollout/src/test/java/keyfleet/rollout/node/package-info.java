@NullMarked
package keyfleet.rollout.node;

import org.jspecify.annotations.NullMarked;
