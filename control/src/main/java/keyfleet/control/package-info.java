/// The loops that drive rotations and rollouts. Each is a `tick()` over ports: read, decide by the
/// pure rooms, compare and set, then act.
///
/// One thread calls `tick()`. A loop may die after any effect; whoever ticks next, here or in
/// another process, goes on from what is stored. So that this can be tried, every effect on a store
/// or a provider stands inside a [Failpoint].
@NullMarked
package keyfleet.control;

import org.jspecify.annotations.NullMarked;
