/// Drives the rotations of a keyring, and executes operators' commands on it.
///
/// Start reading at: [RotationLoop] (one tick of a worker), [RotationPhases] (the work of each
/// phase), [KeyringOperations] (announce, rotate, pause, resume, abort, revoke).
///
/// The rotation itself is in the keystore. [KeyringStore] keeps beside it, by keyring:
///
/// | bucket              | content                                     | written by                  |
/// |---------------------|---------------------------------------------|-----------------------------|
/// | `rotation_drivers`  | the driver's heartbeat; its revision grows  | the process that is the driver |
/// | `rotation_progress` | [keyfleet.control.rewrap.RotationProgress], for people | the driver       |
/// | `removals`          | when a version was disabled, as the entry's age | [RemovalOperations]     |
/// | `audit`             | the entries of [keyfleet.control.audit]     | every process that changes the keystore |
///
/// [KeyringOperations] and [RemovalOperations] decide and write with compare-and-set, from any
/// process. [RotationLoop] drives in a worker; [DriverHeartbeat] shows that a driver is alive, and
/// detects a silent one. What a driver remembers saves time and is never needed for safety: every
/// fence carries its term, every record is written with compare-and-set, every decision names its
/// rotation and epoch.
@NullMarked
package keyfleet.control.rotation;

import org.jspecify.annotations.NullMarked;
