/// Defines what a simulated fleet is, and what all fleets of a run share: time, chance, the store
/// and the trace. Nothing here knows of keys or rollouts.
///
/// Start reading at: [SimulatedFleet], [SimulatedWorld], [PortWrappers].
@NullMarked
package keyfleet.sim.fleet;

import org.jspecify.annotations.NullMarked;
