/// Simulates hosts: virtual time, seeded chance, clocks, links to the stores, and the faults that
/// hit them. One thread runs all hosts; a loop that sleeps in the middle of a store call lets the
/// other loops run inside that call.
///
/// Start reading at: [VirtualTimeScheduler], [SimulatedHost], [FaultSchedule].
@NullMarked
package keyfleet.sim.host;

import org.jspecify.annotations.NullMarked;
