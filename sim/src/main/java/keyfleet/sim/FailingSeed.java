package keyfleet.sim;

import java.util.ArrayList;
import java.util.List;
import keyfleet.sim.SimulationRun.Violated;
import keyfleet.sim.fleet.FleetFactory;
import keyfleet.sim.host.EventTrace;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;

/// A seed that broke a promise, and the least weather that still breaks it.
record FailingSeed(FleetFactory universe, long seed, Violated broken) {
  /// Takes out one fault after the other, as long as the same promise stays broken without it. More
  /// than one round, since a fault may be needed only while another is there.
  FaultSchedule leastWeather() {
    FaultSchedule weather = Swarm.weather(seed);
    boolean shrunk = true;
    while (shrunk) {
      shrunk = false;
      for (Fault fault : weather.faults()) {
        FaultSchedule less = weather.without(fault);
        if (breaks(less)) {
          weather = less;
          shrunk = true;
        }
      }
    }
    return weather;
  }

  private boolean breaks(FaultSchedule weather) {
    return new SimulationRun(universe, seed, weather, EventTrace.NONE).outcome()
            instanceof Violated(_, _, var promise, _)
        && promise.equals(broken.promise());
  }

  /// For people: the seed, the commit, the faults that matter, and what happened.
  String words(String commit) {
    FaultSchedule least = leastWeather();
    EventTrace.LastLines diary = new EventTrace.LastLines();
    SimulationRun.Outcome outcome = new SimulationRun(universe, seed, least, diary).outcome();
    List<String> lines = new ArrayList<>();
    lines.add("BROKEN " + (outcome instanceof Violated again ? again.words() : broken.words()));
    lines.add("seed " + seed + ", commit " + commit);
    lines.add(
        "faults: %d of the seed's %d matter"
            .formatted(least.faults().size(), Swarm.weather(seed).faults().size()));
    least.faults().forEach(fault -> lines.add("  " + fault));
    lines.add("trace:");
    diary.lines().forEach(line -> lines.add("  " + line));
    lines.add("Try: SIM_SEED=" + seed + " ./dev test");
    return String.join("\n", lines);
  }
}
