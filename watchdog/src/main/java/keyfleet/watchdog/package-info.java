/// The supervisor of one node's software: it reads the desired state, takes one step at a time, and
/// rolls back by itself when the release is bad or no driver confirms it.
///
/// [keyfleet.rollout.node.Node] decides what follows; this package performs it on the machine. One
/// thread calls [Watchdog#tick], when [Watchdog#wakeAt] has come or the node's `desired` key has
/// changed. A tick reads the order, writes the decision to the [JournalStore], performs at most one
/// action on the machine, writes its result, and reports. So a crash falls between two effects, and
/// each effect can be repeated:
///
/// | it crashed                   | the journal says | what the next tick does                     |
/// |------------------------------|------------------|---------------------------------------------|
/// | before the decision is saved | the state before | reads the order again                       |
/// | while downloading            | Preparing        | starts the download again                   |
/// | before the swap              | Applying         | sees that the old release runs, checks the rules, swaps |
/// | after the swap               | Applying         | sees that the new release runs, begins the soak |
/// | in the soak                  | Soaking          | begins the soak again, under the old deadline |
/// | before or after swapping back | RollingBack     | swaps back; the second time changes nothing |
/// | before the report is written | the state after  | reports                                     |
///
/// An unreachable store stops no local work: the soak freezes, the deadline does not. No driver can
/// confirm a node that is cut off, so the node rolls back in time by itself.
///
/// | bucket and key                                | written by    | what                          |
/// |-----------------------------------------------|---------------|-------------------------------|
/// | `update-rollouts` `desired.<component>.<node>` | drivers      | the order                     |
/// | `update-reports` `<component>.<node>`          | this node    | its report, for as long as the store lives |
/// | `update-nodes` `<component>.<node>`            | this node    | its facts, and the releases it has rolled back |
/// | `update-status` `<component>.<node>`           | this node    | its heartbeat, which expires after 120 s |
///
/// Start reading at: [Watchdog], [NodeJournal], [NodeStoreClient], [WatchdogPorts].
@NullMarked
package keyfleet.watchdog;

import org.jspecify.annotations.NullMarked;
