/// Simulates a fleet of nodes that receives a release: watchdogs, drivers that fail over, and an
/// operator. They run the production classes; the oracle checks what is true of nodes and rollouts.
///
/// Start reading at: [RolloutFleet], [WatchdogProcess], [RolloutOracle].
@NullMarked
package keyfleet.sim.rollout;

import org.jspecify.annotations.NullMarked;
