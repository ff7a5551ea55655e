/// Explores every state that a small fleet can reach and checks the invariants in each. The
/// deciding code is the production code; processes, stores and networks are modelled as steps
/// between states.
///
/// Start reading at: [Explorer], [RotationModelState], [RolloutModelState].
@NullMarked
package keyfleet.sim.explore;

import org.jspecify.annotations.NullMarked;
