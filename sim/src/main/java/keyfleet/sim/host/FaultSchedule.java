package keyfleet.sim.host;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import keyfleet.sim.host.Fault.Kind;

/// The faults of a run, all of which are over at `calmAt`. Each seed draws its own few kinds, so
/// that some runs are all pauses and others all lost answers: with every kind at once, one would
/// hide the other.
public record FaultSchedule(long calmAt, List<Fault> faults) {
  private static final List<Kind> ANY = List.of(Kind.values());

  /// Kinds that are worst together: sleepers whom an order overtakes, and newcomers that are slow
  /// or lack a key.
  private static final List<List<Kind>> THEMES =
      List.of(
          List.of(Kind.PAUSE, Kind.PAUSE, Kind.SUSPEND, Kind.OPERATOR),
          List.of(Kind.CRASH, Kind.KEY_LOST, Kind.DELAY, Kind.PAUSE));

  /// Long enough for a few rotations or batches.
  public static final long SHORT = 300 * VirtualTimeScheduler.SECOND;

  /// Longer than any deadline of a node.
  private static final long LONG = 800 * VirtualTimeScheduler.SECOND;

  private static final int LONG_ONES = 6;
  private static final int MOST_KINDS = 4;
  private static final int MOST_FAULTS = 16;

  /// How long a fault lasts, at least and at most.
  private record DurationRange(long least, long most) {}

  /// A moment, a while, and longer than anybody waits.
  private static final List<DurationRange> LENGTHS =
      List.of(
          new DurationRange(1, 3 * VirtualTimeScheduler.SECOND),
          new DurationRange(3 * VirtualTimeScheduler.SECOND, 60 * VirtualTimeScheduler.SECOND),
          new DurationRange(100 * VirtualTimeScheduler.SECOND, SHORT));

  private static final DurationRange LONGEST = new DurationRange(SHORT, LONG);

  public FaultSchedule {
    faults = List.copyOf(faults);
  }

  public static FaultSchedule drawn(SeededRandom dice) {
    List<Kind> kinds = dice.oneIn(2) ? dice.pick(THEMES) : some(dice);
    long calmAt = dice.oneIn(LONG_ONES) ? LONG : SHORT;
    List<Fault> faults = new ArrayList<>();
    int count = dice.below(MOST_FAULTS + 1);
    for (int i = 0; i < count; i++) {
      faults.add(drawn(dice, dice.pick(kinds), calmAt));
    }
    faults.sort(Comparator.comparingLong(Fault::at));
    return new FaultSchedule(calmAt, faults);
  }

  private static List<Kind> some(SeededRandom dice) {
    List<Kind> kinds = new ArrayList<>();
    int variety = 1 + dice.below(MOST_KINDS);
    for (int i = 0; i < variety; i++) {
      kinds.add(dice.pick(ANY));
    }
    return kinds;
  }

  private static Fault drawn(SeededRandom dice, Kind kind, long calmAt) {
    long at = dice.between(0, SHORT - 1);
    DurationRange length = calmAt == LONG && dice.oneIn(3) ? LONGEST : dice.pick(LENGTHS);
    long lasts = Math.min(dice.between(length.least(), length.most()), calmAt - at);
    return new Fault(at, kind, dice.below(1 << 10), lasts, dice.next() >>> 1);
  }

  public FaultSchedule without(Fault fault) {
    List<Fault> rest = new ArrayList<>(faults);
    rest.remove(fault);
    return new FaultSchedule(calmAt, rest);
  }
}
