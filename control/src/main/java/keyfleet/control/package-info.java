/// The loops that drive rotations and rollouts. Each is a `tick()` over ports: read, decide by the
/// pure rooms, compare and set, then act.
///
/// One thread calls `tick()`. A loop may die after any effect; whoever ticks next, here or in
/// another process, goes on from what is stored. So that this can be tried, every effect on a store
/// or a provider stands inside a [Failpoint].
///
/// ## What rotations store
///
/// The rotation itself is in the keystore. Beside it stand, by keyring:
///
/// | bucket              | what                                        | who writes it               |
/// |---------------------|---------------------------------------------|-----------------------------|
/// | `rotation_drivers`  | the driver's sign of life; its revision moves | whoever read itself as driver |
/// | `rotation_progress` | [RotationProgress], for people                      | the driver                  |
/// | `removals`          | when a version was disabled, as the entry's age | [RemovalOperations]         |
/// | `audit`             | [AuditEntry] by `<keyring>.<number>`, created and never changed | whoever changed the keystore, or came next |
///
/// ## Who does what in a rotation
///
/// [KeyringOperations] and [RemovalOperations] decide and compare and set, from any process.
/// [RotationLoop] drives in a worker: [RotationPhases] does the work of a phase, [RewrapPass] goes
/// through the records, [RecordRewrapper] makes the new fields of one, a [BatchExecutor] does so
/// ahead of the writes, [DriverHeartbeat] tells a silent driver. What a driver remembers is worth
/// time, never safety: every fence carries the term, every record is compared and set, every
/// decision names rotation and epoch.
///
/// ## How changes of a keystore are audited
///
/// [AuditedKeystoreStore] writes the entry of a change inside the changed keystore, by the same
/// compare-and-set, and copies it into the chain after that (ADR 8). [AuditReader] reads and judges
/// the chain.
///
/// ## What rollouts store
///
/// | bucket            | key                          | what                       | who writes it, how |
/// |-------------------|------------------------------|----------------------------|--------------------|
/// | `update-rollouts` | `<rollout>.spec`             | what it is                 | its creator, once  |
/// |                   | `<rollout>.ctl`              | where it stands            | its driver and operators, by compare-and-set |
/// |                   | `<rollout>.e.<N>`            | the claim of epoch N       | the first, once    |
/// |                   | `driver.<rollout>`           | a sign of life, or a call for a driver; gone when nothing is left to drive | as `ctl` |
/// |                   | `act.<component>.<node>`     | the rollout that has the node | drivers, by compare-and-set |
/// |                   | `desired.<component>.<node>` | what the node is to do     | drivers, by compare-and-set, never over a higher lead |
/// | `update-status`   | `<component>.<node>`         | the node's beat            | the node           |
/// | `update-reports`  | `<component>.<node>`         | what the node says of its task | the node       |
///
/// ## Who does what in a rollout
///
/// [RolloutOperations] decide and compare and set, from any process. [RolloutLoop] drives, one
/// [RolloutDriver] a rollout: it claims, looks at the fleet ([NodeObserver]), commits what
/// [keyfleet.rollout.controller.Rollout#next] says, and only then tells the nodes
/// ([DesiredStateWriter]). The lead in `ctl` is the only one that is obeyed; all that a driver
/// remembers saves reads.
@NullMarked
package keyfleet.control;

import org.jspecify.annotations.NullMarked;
