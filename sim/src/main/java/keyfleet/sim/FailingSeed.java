package keyfleet.sim;

import java.util.ArrayList;
import java.util.List;
import keyfleet.sim.SimulationRun.Violated;
import keyfleet.sim.fleet.FleetFactory;
import keyfleet.sim.host.EventTrace;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;

/// A seed whose run violates an invariant, and the smallest set of faults that still does.
record FailingSeed(FleetFactory factory, long seed, Violated violation) {
  /// Removes one fault after the other, as long as the run still violates the same invariant. It
  /// repeats this, because a fault may be needed only together with another.
  FaultSchedule shrinkFaults() {
    FaultSchedule faults = Swarm.faultsOf(seed);
    boolean shrunk = true;
    while (shrunk) {
      shrunk = false;
      for (Fault fault : faults.faults()) {
        FaultSchedule fewer = faults.without(fault);
        if (isReproducedBy(fewer)) {
          faults = fewer;
          shrunk = true;
        }
      }
    }
    return faults;
  }

  private boolean isReproducedBy(FaultSchedule faults) {
    return new SimulationRun(factory, seed, faults, EventTrace.NONE).execute()
            instanceof Violated(_, _, var invariant, _)
        && invariant.equals(violation.invariant());
  }

  /// A report for people: the seed, the commit, the faults that matter, and the trace.
  String report(String commit) {
    FaultSchedule minimal = shrinkFaults();
    EventTrace.LastLines trace = new EventTrace.LastLines();
    SimulationRun.Outcome outcome = new SimulationRun(factory, seed, minimal, trace).execute();
    List<String> lines = new ArrayList<>();
    lines.add(
        "BROKEN " + (outcome instanceof Violated again ? again.message() : violation.message()));
    lines.add("seed " + seed + ", commit " + commit);
    lines.add(
        "faults: %d of the seed's %d matter"
            .formatted(minimal.faults().size(), Swarm.faultsOf(seed).faults().size()));
    minimal.faults().forEach(fault -> lines.add("  " + fault));
    lines.add("trace:");
    trace.lines().forEach(line -> lines.add("  " + line));
    lines.add("Try: SIM_SEED=" + seed + " ./dev test");
    return String.join("\n", lines);
  }
}
