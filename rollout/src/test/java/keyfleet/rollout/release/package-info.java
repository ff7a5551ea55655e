/// Tests of signed releases, with the keys of RFC 8032.
///
/// Start reading at: [ReleaseRulesTest], [ReleaseFixtures].
@NullMarked
package keyfleet.rollout.release;

import org.jspecify.annotations.NullMarked;
