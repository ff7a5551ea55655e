/// Stored form of rollouts: the buckets, the keys and the JSON documents that drivers, operators
/// and watchdogs share. It converts values of the `rollout` module to stored values and back, and
/// does no I/O.
///
/// Start reading at: [RolloutKeys] (what is stored where), [DesiredDocument] (what a driver tells a
/// node), [NodeReportDocument] (what a node answers).
///
/// | bucket            | key                          | document                 | who writes it, how |
/// |-------------------|------------------------------|--------------------------|--------------------|
/// | `update-rollouts` | `<rollout>.spec`             | [RolloutSpecDocument]    | the creator, once  |
/// |                   | `<rollout>.ctl`              | [RolloutControlDocument] | the driver and operators, by compare-and-set |
/// |                   | `<rollout>.e.<N>`            | the claim of epoch N     | the first claimant, once |
/// |                   | `driver.<rollout>`           | [RolloutDriverHeartbeat], deleted when nothing is left to drive | as `ctl` |
/// |                   | `act.<component>.<node>`     | [NodeOwner]              | drivers, by compare-and-set |
/// |                   | `desired.<component>.<node>` | [DesiredDocument]        | drivers, by compare-and-set, never over a higher epoch |
/// | `update-status`   | `<component>.<node>`         | the node's heartbeat     | the node           |
/// | `update-reports`  | `<component>.<node>`         | [NodeReportDocument]     | the node           |
/// | `update-nodes`    | `<component>.<node>`         | [NodeProfile]            | the node           |
///
/// [JournalEntryDocument] is not in the store: a watchdog writes it to its own disk.
///
/// Fields are only ever added. A reader ignores fields that it does not know; a document without a
/// field that the reader needs is malformed.
@NullMarked
package keyfleet.wire;

import org.jspecify.annotations.NullMarked;
