/// Simulates whole fleets with the classes that run in production, and explores small fleets state
/// by state.
///
/// Start reading at: [SimulationRun], [Swarm], [keyfleet.sim.host.VirtualTimeScheduler],
/// [keyfleet.sim.explore.Explorer].
///
/// **Swarm.** A [SimulationRun] runs the production loops of one seed's fleet in one thread, under
/// the [keyfleet.sim.host.FaultSchedule] of that seed. Each loop reaches stores and disks through
/// its [keyfleet.sim.host.SimulatedHost], where it may sleep or crash. The oracles
/// ([keyfleet.sim.rotation.RotationOracle], [keyfleet.sim.cluster.ClusterOracle],
/// [keyfleet.sim.rollout.RolloutOracle]) know the true state, whatever the loops believe, and end a
/// run with an [keyfleet.sim.fleet.InvariantViolation].
///
/// **Explorer.** It visits every state that a small fleet can reach, in any order of steps and with
/// any process paused in between, and checks the invariants in each. The deciding code is the
/// production code ([keyfleet.keyring.Keystore#decide], [keyfleet.keyring.ReadinessGate],
/// [keyfleet.keyring.ProcessAdmission], [keyfleet.keyring.VersionRemoval], [keyfleet.store.Fence];
/// [keyfleet.rollout.controller.Rollout], [keyfleet.rollout.node.Node]). Everything that acts is
/// modelled: processes that seal and write later, drivers that read and write later, stores,
/// networks.
///
/// **Models.** `spec/` describes the same protocols in TLA+, and also what no single state shows:
/// that every rotation and every rollout ends. TLC checks the models. `Rotation.tla` and
/// [keyfleet.sim.explore.RotationModelState] describe one system with the same atomic steps, so
/// both have the same number of states, and a test compares the numbers. So do `Plugins.tla` and
/// [keyfleet.sim.explore.PluginModelState], and `RolloutSteps.tla` and
/// [keyfleet.sim.explore.RolloutModelState]. `Rollout.tla` is simpler and not compared.
///
/// | configuration      | what it contains                                                      |
/// |--------------------|-----------------------------------------------------------------------|
/// | `Rotation.cfg`     | one record of two fields, a writer on a machine that may be suspended, |
/// |                    | two drivers, a late fence call of the previous rotation, an abort and |
/// |                    | a withdrawal                                                          |
/// | `RotationJoin.cfg` | also a second writer that joins without the new version               |
/// | `RotationHold.cfg` | as that, and the keystore is restored from an earlier backup           |
/// | `Plugins.cfg`      | two plugins, one object in etcd, two rotations of a kms keyring, and   |
/// |                    | every order of an operator once                                       |
/// | `RotationEnds.cfg` | one driver; also checks that the rotation ends                        |
/// | `Rollout.cfg`      | two nodes, two drivers, every fault                                   |
/// | `RolloutEnds.cfg`  | one node; also checks that the rollout ends                           |
/// | `RolloutSteps.cfg`, `RolloutStepsBack.cfg` | the steps of the production classes           |
/// | `…Soak.cfg`        | the larger configurations, for `./dev soak`                           |
@NullMarked
package keyfleet.sim;

import org.jspecify.annotations.NullMarked;
