package keyfleet.sim.host;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import keyfleet.sim.host.Fault.Kind;

/// The faults of a run. All of them are over at `endsAt`. Each seed draws only a few kinds, so that
/// some runs have only pauses and others only lost answers: with all kinds at once, one would hide
/// another.
public record FaultSchedule(long endsAt, List<Fault> faults) {
  private static final List<Kind> ALL_KINDS = List.of(Kind.values());

  /// Kinds that are worst together: paused processes that act after a later order, and restarted
  /// processes that are slow or lack a key.
  private static final List<List<Kind>> THEMES =
      List.of(
          List.of(Kind.PAUSE, Kind.PAUSE, Kind.SUSPEND, Kind.OPERATOR),
          List.of(Kind.CRASH, Kind.KEY_LOST, Kind.DELAY, Kind.PAUSE));

  /// Long enough for a few rotations or batches.
  public static final long SHORT = 300 * VirtualTimeScheduler.SECOND;

  /// Longer than any deadline of a node.
  private static final long LONG = 800 * VirtualTimeScheduler.SECOND;

  private static final int LONG_RUN_ODDS = 6;
  private static final int MAX_KINDS = 4;
  private static final int MAX_FAULTS = 16;

  private record DurationRange(long least, long most) {}

  /// Short, long, and longer than any process waits.
  private static final List<DurationRange> DURATIONS =
      List.of(
          new DurationRange(1, 3 * VirtualTimeScheduler.SECOND),
          new DurationRange(3 * VirtualTimeScheduler.SECOND, 60 * VirtualTimeScheduler.SECOND),
          new DurationRange(100 * VirtualTimeScheduler.SECOND, SHORT));

  private static final DurationRange LONGEST_DURATIONS = new DurationRange(SHORT, LONG);

  public FaultSchedule {
    faults = List.copyOf(faults);
  }

  public static FaultSchedule draw(SeededRandom random) {
    List<Kind> kinds = random.drawOneIn(2) ? random.pick(THEMES) : drawKinds(random);
    long endsAt = random.drawOneIn(LONG_RUN_ODDS) ? LONG : SHORT;
    List<Fault> faults = new ArrayList<>();
    int count = random.below(MAX_FAULTS + 1);
    for (int i = 0; i < count; i++) {
      faults.add(draw(random, random.pick(kinds), endsAt));
    }
    faults.sort(Comparator.comparingLong(Fault::at));
    return new FaultSchedule(endsAt, faults);
  }

  private static List<Kind> drawKinds(SeededRandom random) {
    List<Kind> kinds = new ArrayList<>();
    int variety = 1 + random.below(MAX_KINDS);
    for (int i = 0; i < variety; i++) {
      kinds.add(random.pick(ALL_KINDS));
    }
    return kinds;
  }

  private static Fault draw(SeededRandom random, Kind kind, long endsAt) {
    long at = random.between(0, SHORT - 1);
    DurationRange range =
        endsAt == LONG && random.drawOneIn(3) ? LONGEST_DURATIONS : random.pick(DURATIONS);
    long duration = Math.min(random.between(range.least(), range.most()), endsAt - at);
    return new Fault(at, kind, random.below(1 << 10), duration, random.next() >>> 1);
  }

  public FaultSchedule without(Fault fault) {
    List<Fault> rest = new ArrayList<>(faults);
    rest.remove(fault);
    return new FaultSchedule(endsAt, rest);
  }
}
