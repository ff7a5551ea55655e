/// Rollouts of signed releases to a fleet: the ids, and the protocol between drivers and nodes.
///
/// The module is pure: no clock, no randomness, no I/O, no threads, no log; `now` and the seed are
/// arguments. Every public type is immutable and may be used by several threads at once. It sends
/// and stores nothing (`control` does) and reads no artifact (the watchdog does). It does not
/// decide which nodes are trusted: facts are what nodes report about themselves. Invalid input of
/// an operator gives a sealed result; an invalid value in code is an `IllegalArgumentException`.
///
/// | package       | what it decides                                                              |
/// |---------------|------------------------------------------------------------------------------|
/// | `.target`     | which nodes an expression selects                                            |
/// | `.release`    | whether a release is signed, and which nodes may run it                      |
/// | `.node`       | what a node does with an order: the state machine of a watchdog              |
/// | `.plan`       | which nodes are eligible, and in which batches they get the release          |
/// | `.controller` | what follows in a rollout, and what each node should do: the state machine of a driver |
///
/// Each package uses only this one and the packages above it in the table. A driver and a node
/// share a [Task]; the driver writes what it wants as [DesiredState], the node answers with a
/// [NodeReport].
///
/// ## The encoding of signed and hashed values
///
/// A list of items. A four-byte length precedes each item; integers are big-endian; a list inside
/// the list follows an item with its count in four bytes. The first item names the format, so that
/// no signature is valid for another format. The formats are in the descriptions of `.release` and
/// `.plan`.
///
/// Start reading at: [Task], [Goal], [DesiredState], [DriverClaim], then `Rollout` in `.controller`
/// and `Node` in `.node`.
@NullMarked
package keyfleet.rollout;

import org.jspecify.annotations.NullMarked;
