/// The supervisor of one node's software: it reads what is desired, takes one step at a time, and
/// goes back by itself when the release is bad or nobody confirms it.
///
/// What follows from what is decided by [keyfleet.rollout.Node]; here it meets the machine. One
/// thread calls [Watchdog#tick], when [Watchdog#wakeAt] has come or the node's `desired` key has
/// changed. A tick reads the order, writes the decision to the [Journal], does at most one thing to
/// the machine, writes what came of it, and reports. So a crash falls between two effects, and each
/// effect can be done again:
///
/// | it crashed                   | the journal says | what the next tick does                     |
/// |------------------------------|------------------|---------------------------------------------|
/// | before the decision is saved | the state before | reads the order again                       |
/// | while downloading            | Preparing        | asks for the download again                 |
/// | before the swap              | Applying         | sees that the old release runs, asks the rules, swaps |
/// | after the swap               | Applying         | sees that the new release runs, begins the soak |
/// | in the soak                  | Soaking          | begins the soak again, under the old deadline |
/// | before or after swapping back | RollingBack     | swaps back; the second time changes nothing |
/// | before the report is written | the state after  | reports                                     |
///
/// A store that cannot be reached stops no local work: the soak stands still, the deadline does
/// not. Nobody can confirm a node that is cut off, so it goes back in time by itself.
///
/// | bucket and key                                | who writes it | what                          |
/// |-----------------------------------------------|---------------|-------------------------------|
/// | `update-rollouts` `desired.<component>.<node>` | drivers      | the order                     |
/// | `update-reports` `<component>.<node>`          | this node    | its report, for as long as the store lives |
/// | `update-status` `<component>.<node>`           | this node    | its beat, gone after 120 s    |
@NullMarked
package keyfleet.watchdog;

import org.jspecify.annotations.NullMarked;
