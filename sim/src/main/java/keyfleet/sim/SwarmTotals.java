package keyfleet.sim;

import java.util.EnumMap;
import java.util.Map;
import keyfleet.sim.host.Fault.Kind;
import keyfleet.sim.host.FaultSchedule;

/// What a number of runs came to. Events are what stood in a timeline: ticks, late messages,
/// orders, faults. Messages are the calls that loops made to stores and disks, each two points at
/// which the process may die, or sleep while any other loop runs. `faults` counts those that began,
/// by kind.
record SwarmTotals(long runs, long events, long messages, Map<Kind, Long> faults) {
  static final SwarmTotals NONE = new SwarmTotals(0, 0, 0, Map.of());

  SwarmTotals {
    faults = Map.copyOf(faults);
  }

  static SwarmTotals of(FaultSchedule schedule, SimulationRun.Outcome outcome) {
    Map<Kind, Long> faults = new EnumMap<>(Kind.class);
    schedule.faults().forEach(fault -> faults.merge(fault.kind(), 1L, Long::sum));
    return new SwarmTotals(1, outcome.events(), outcome.messages(), faults);
  }

  SwarmTotals plus(SwarmTotals other) {
    Map<Kind, Long> sum = new EnumMap<>(Kind.class);
    sum.putAll(faults);
    other.faults.forEach((kind, count) -> sum.merge(kind, count, Long::sum));
    return new SwarmTotals(
        runs + other.runs, events + other.events, messages + other.messages, sum);
  }

  long faultCount() {
    return faults.values().stream().mapToLong(Long::longValue).sum();
  }
}
