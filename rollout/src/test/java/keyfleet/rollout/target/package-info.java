/// Tests of the target language: its syntax, its matches, and properties of random targets.
///
/// Start reading at: [TargetParserTest], [TargetMatchTest].
@NullMarked
package keyfleet.rollout.target;

import org.jspecify.annotations.NullMarked;
