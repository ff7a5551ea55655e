/// Tests rotations on real processes: under load, with killed drivers, lost stores, paused writers,
/// wrong clocks and corrupted records.
///
/// Start reading at: [RotationStoryTest], [KilledDriverTest].
@NullMarked
package keyfleet.it.story;

import org.jspecify.annotations.NullMarked;
