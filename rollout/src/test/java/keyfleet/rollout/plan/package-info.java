/// Tests of preflight and of plans.
///
/// Start reading at: [PreflightTest], [RolloutPlanTest].
@NullMarked
package keyfleet.rollout.plan;

import org.jspecify.annotations.NullMarked;
