/// Simulates a fleet that rotates its keys: applications, workers and operators of one keyring.
/// They run the production classes; the oracle checks what is true of keys and records at every
/// step.
///
/// Start reading at: [RotationFleet], [MemberProcess], [RotationOracle].
@NullMarked
package keyfleet.sim.rotation;

import org.jspecify.annotations.NullMarked;
