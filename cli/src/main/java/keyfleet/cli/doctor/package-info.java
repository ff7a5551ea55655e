/// The `doctor` command: checks whether a store is safe enough for key state.
///
/// Start reading at: [DoctorCommand], [DoctorReport].
@NullMarked
package keyfleet.cli.doctor;

import org.jspecify.annotations.NullMarked;
