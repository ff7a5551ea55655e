package keyfleet.member;

import static keyfleet.member.Fixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import keyfleet.crypto.Witness.Operation;
import keyfleet.crypto.Witness.Outcome;
import keyfleet.member.Tally.Line;
import org.junit.jupiter.api.Test;

class TallyTest {
  private final Tally tally = new Tally();

  @Test
  void whatNeverHappened_hasNoLine() {
    assertEquals(Map.of(), tally.counts());
  }

  @Test
  void linesAreInOrder_andCountApart() {
    tally.saw(Operation.OPEN, v(2), Outcome.OK);
    tally.saw(Operation.OPEN, v(1), Outcome.REFUSED);
    tally.saw(Operation.OPEN, v(1), Outcome.OK);
    tally.saw(Operation.SEAL, v(2), Outcome.OK);
    assertEquals(
        List.of(
            new Line(Operation.SEAL, v(2), Outcome.OK),
            new Line(Operation.OPEN, v(1), Outcome.OK),
            new Line(Operation.OPEN, v(1), Outcome.REFUSED),
            new Line(Operation.OPEN, v(2), Outcome.OK)),
        List.copyOf(tally.counts().keySet()));
  }

  /// Whoever can write a record can write any number into it.
  @Test
  void versionsThatAreNotHeld_shareALine() {
    IntStream.rangeClosed(1, 1_000)
        .forEach(it -> tally.saw(Operation.OPEN, v(it), Outcome.NO_SUCH_VERSION));
    assertEquals(
        Map.of(new Line(Operation.OPEN, null, Outcome.NO_SUCH_VERSION), 1_000L), tally.counts());
  }

  @Test
  void manyThreads_loseNoCount() {
    IntStream.range(0, 10_000).parallel().forEach(_ -> tally.saw(Operation.SEAL, v(1), Outcome.OK));
    assertEquals(List.of(10_000L), List.copyOf(tally.counts().values()));
  }
}
