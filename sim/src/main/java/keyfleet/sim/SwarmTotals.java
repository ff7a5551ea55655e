package keyfleet.sim;

import java.util.EnumMap;
import java.util.Map;
import keyfleet.sim.host.Fault.Kind;
import keyfleet.sim.host.FaultSchedule;

/// Totals of a number of runs. Events are the entries of the scheduler: ticks, late messages,
/// orders, faults. Messages are the calls of loops to stores and disks; before and after each the
/// process may crash, or sleep while other loops run. `faults` counts the faults that began, by
/// kind.
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
