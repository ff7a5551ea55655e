/// Tests of a node's state machine: tables of transitions, and random walks that check the rules.
///
/// Start reading at: [NodeTest], [NodeFixtures], [NodeWalkTest].
@NullMarked
package keyfleet.rollout.node;

import org.jspecify.annotations.NullMarked;
