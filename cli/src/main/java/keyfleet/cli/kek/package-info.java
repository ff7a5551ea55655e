/// The `kek` commands: create, announce, verify, rotate and remove versions of a key-encryption
/// key.
///
/// A command that starts or controls a rotation only writes its request to the store, and workers
/// execute it. The command may therefore end, or be stopped, at any time.
///
/// Start reading at: [KekAnnounceCommand], [KekVerifyCommand] with [ReadinessReport],
/// [KekRotateCommand] with [RotationStatus], [KekRemoveCommand], [KekInventoryCommand] with
/// [EnvelopeInventory].
@NullMarked
package keyfleet.cli.kek;

import org.jspecify.annotations.NullMarked;
