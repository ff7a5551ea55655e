/// Tests of a rollout's state machine: single cases, and random walks that check the invariants.
///
/// Start reading at: [RolloutTest], [ControllerFixtures], [RolloutWalkTest].
@NullMarked
package keyfleet.rollout.controller;

import org.jspecify.annotations.NullMarked;
