/// The process that does a fleet's own work. It joins as any member does, and beside that drives
/// rotations, looks after the fleet, and answers orchestrators and monitors. It decides nothing
/// itself: the loops of `control` do, over the pure rooms.
///
/// | thread              | what it does                                                         |
/// |---------------------|----------------------------------------------------------------------|
/// | `keyfleet-beat-…`   | the member's rounds                                                  |
/// | `keyfleet-events-…` | writes the member's events to the [EventLog]                         |
/// | `keyfleet-worker`   | [RotationWorker]: ticks the rotation loop; a change of the keystore wakes it |
/// | `keyfleet-mover-…`  | the worker's crew: move records while it writes others               |
/// | `keyfleet-lookout`  | [FleetMonitor]: takes a [FleetSnapshot] once a heartbeat                   |
/// | virtual ones        | [ProbeServer]: each answers one request, from memory                        |
///
/// A store that nobody has used yet is tried before it is relied on ([FirstUseCheck]). What a
/// process says of itself goes to the [EventLog], a line an event; a state that lasts is said once.
@NullMarked
package keyfleet.server;

import org.jspecify.annotations.NullMarked;
