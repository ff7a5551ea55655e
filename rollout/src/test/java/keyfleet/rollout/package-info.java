/// Builders that the tests of all rollout packages use.
///
/// Start reading at: [RolloutFixtures].
@NullMarked
package keyfleet.rollout;

import org.jspecify.annotations.NullMarked;
