/// The stored form of rollouts: the buckets, the keys and the JSON documents that drivers,
/// operators and watchdogs share. It converts values of the `rollout` module to stored values and
/// back, and does no I/O.
///
/// Start reading at: [RolloutKeys] (what is stored where), [DesiredStateDocument] (what a driver
/// tells a node), [NodeReportDocument] (what a node answers).
///
/// | bucket            | key                          | document                 | written by, how    |
/// |-------------------|------------------------------|--------------------------|--------------------|
/// | `update-rollouts` | `<rollout>.spec`             | [RolloutSpecDocument]    | the creator, once  |
/// |                   | `<rollout>.ctl`              | [RolloutControlDocument] | the driver and operators, by compare-and-set |
/// |                   | `<rollout>.e.<N>`            | the claim of epoch N     | the first claimant, once |
/// |                   | `driver.<rollout>`           | [RolloutDriverHeartbeat], deleted when nothing is left to drive | as `ctl` |
/// |                   | `act.<component>.<node>`     | [NodeOwner]              | drivers, by compare-and-set |
/// |                   | `desired.<component>.<node>` | [DesiredStateDocument]        | drivers, by compare-and-set, never over a higher epoch |
/// | `update-status`   | `<component>.<node>`         | the node's heartbeat     | the node           |
/// | `update-reports`  | `<component>.<node>`         | [NodeReportDocument]     | the node           |
/// | `update-nodes`    | `<component>.<node>`         | [NodeProfile]            | the node           |
///
/// [JournalEntryDocument] is not in the store: a watchdog writes it to its own disk.
///
/// A stored field keeps its name when the code takes a better word: `lead` is a driver's claim,
/// `ground` a node's baseline and `past` its history, `duty` a node's task, `course` a direction,
/// `setback` a rollback reason, `lane` the limit of late nodes, `admission` the eligibility rules.
///
/// Fields are only ever added. A reader ignores fields that it does not know; a document without a
/// field that the reader needs is malformed.
@NullMarked
package keyfleet.wire;

import org.jspecify.annotations.NullMarked;
