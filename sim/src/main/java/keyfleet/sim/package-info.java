/// Histories of a fleet, run through the very classes that production runs.
///
/// The swarm runs the production loops, in one thread: a [SimulationRun] is a seed's fleet under
/// its [FaultSchedule]. Every loop reaches stores and disks through its [SimulatedHost], and may
/// fall asleep or die there; [VirtualTimeScheduler] says how that works without threads.
/// [RotationOracle] and [RolloutOracle] know what is true whatever the loops believe, and end a run
/// by a [InvariantViolation].
///
/// The explorer visits every state that a small fleet can reach, whatever the order of its steps
/// and whoever falls asleep in between, and checks in each that no promise is broken. What is real
/// here is the deciding code ([keyfleet.keyring.Keystore#decide],
/// [keyfleet.keyring.FleetReadiness], [keyfleet.keyring.ProcessAdmission],
/// [keyfleet.keyring.VersionRemoval], [keyfleet.store.Fence];
/// [keyfleet.rollout.controller.Rollout], [keyfleet.rollout.node.Node]); what is modelled is
/// everything that acts: processes that seal and write later, drivers that read and write later,
/// stores, networks.
///
/// `spec/` says the same in TLA+, and what no state alone can show: that every rotation and every
/// rollout ends. TLC checks it. `Rotation.tla` and [RotationModelState] are one system told twice:
/// the same steps, each as atomic as the other's, so they have the same number of states, which a
/// test compares. `Rollout.tla` is simpler than [RolloutModelState] and not tied to it.
///
/// | configuration      | of whom                                                              |
/// |--------------------|----------------------------------------------------------------------|
/// | `Rotation.cfg`     | a record of two fields, a writer that machines suspend, two drivers,  |
/// |                    | a fence call left over from the rotation before, an abort            |
/// | `RotationJoin.cfg` | a second writer that joins without the new version                   |
/// | `RotationEnds.cfg` | one driver; also that it ends                                        |
/// | `Rollout.cfg`      | two nodes, two drivers, every trouble                                |
/// | `RolloutEnds.cfg`  | one node; also that it ends                                          |
/// | `…Soak.cfg`        | the larger ones, for `./dev soak`                                    |
@NullMarked
package keyfleet.sim;

import org.jspecify.annotations.NullMarked;
