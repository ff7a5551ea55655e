package keyfleet.sim;

import java.util.ArrayList;
import java.util.List;
import keyfleet.sim.SimulationRun.Violated;
import keyfleet.sim.fleet.FleetFactory;
import keyfleet.sim.host.EventTrace;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;

/// A seed that broke a promise, and the least weather that still breaks it.
record FailingSeed(FleetFactory factory, long seed, Violated violation) {
  /// Takes out one fault after the other, as long as the same promise stays broken without it. More
  /// than one round, since a fault may be needed only while another is there.
  FaultSchedule shrinkFaults() {
    FaultSchedule faults = Swarm.faultsOf(seed);
    boolean shrunk = true;
    while (shrunk) {
      shrunk = false;
      for (Fault fault : faults.faults()) {
        FaultSchedule fewer = faults.without(fault);
        if (stillFails(fewer)) {
          faults = fewer;
          shrunk = true;
        }
      }
    }
    return faults;
  }

  private boolean stillFails(FaultSchedule faults) {
    return new SimulationRun(factory, seed, faults, EventTrace.NONE).execute()
            instanceof Violated(_, _, var invariant, _)
        && invariant.equals(violation.invariant());
  }

  /// For people: the seed, the commit, the faults that matter, and what happened.
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
