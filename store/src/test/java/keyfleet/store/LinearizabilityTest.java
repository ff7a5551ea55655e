package keyfleet.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import keyfleet.store.Operation.Step;
import keyfleet.store.Operation.Step.Put;
import keyfleet.store.Operation.Step.Read;
import keyfleet.store.Operation.Step.SwapRefused;
import keyfleet.store.Operation.Step.Swapped;
import org.junit.jupiter.api.Test;

class LinearizabilityTest {
  @Test
  void callsOneAfterAnother_areExplained() {
    assertHolds(op(new Read(0), 1, 2), op(new Swapped(0, 7), 3, 4), op(new Read(7), 5, 6));
  }

  @Test
  void staleRead_isFound() {
    assertFails(op(new Put(7), 1, 2), op(new Put(8), 3, 4), op(new Read(7), 5, 6));
  }

  @Test
  void readDuringWrite_mayBeEither() {
    assertHolds(op(new Put(7), 1, 4), op(new Read(0), 2, 3));
    assertHolds(op(new Put(7), 1, 4), op(new Read(7), 2, 3));
  }

  @Test
  void readsDuringWriteThatGoBack_areFound() {
    assertFails(op(new Put(7), 1, 6), op(new Read(7), 2, 3), op(new Read(0), 4, 5));
  }

  @Test
  void lostAcknowledgedWrite_isFound() {
    assertFails(op(new Swapped(0, 7), 1, 2), op(new Read(0), 3, 4));
  }

  @Test
  void twoWinnersFromOneValue_areFound() {
    assertFails(op(new Swapped(0, 7), 1, 3), op(new Swapped(0, 8), 2, 4));
  }

  @Test
  void refusalWithoutCause_isFound() {
    assertFails(op(new SwapRefused(0), 1, 2));
    assertHolds(op(new SwapRefused(0), 1, 4), op(new Put(7), 2, 3));
  }

  @Test
  void unansweredWrite_mayComeLateOrNever() {
    Operation unanswered = op(new Put(7), 1, Operation.NEVER);
    assertHolds(unanswered, op(new Read(0), 2, 3), op(new Read(7), 4, 5));
    assertHolds(unanswered, op(new Read(0), 2, 3), op(new Read(0), 4, 5));
  }

  @Test
  void unansweredWrite_comesOnceAndNotBeforeItBegan() {
    assertFails(op(new Read(7), 1, 2), op(new Put(7), 3, Operation.NEVER));
    assertFails(
        op(new Put(7), 1, Operation.NEVER),
        op(new Read(7), 2, 3),
        op(new Put(8), 4, 5),
        op(new Read(8), 6, 7),
        op(new Read(7), 8, 9));
  }

  @Test
  void tooLongHistory_isRefused() {
    List<Operation> long65 = Collections.nCopies(65, op(new Read(0), 1, 2));
    assertThrows(IllegalArgumentException.class, () -> Linearizability.holds(long65));
  }

  /// Compares the search with the definition: tries all orders of all subsets that include every
  /// answered call.
  @Test
  void randomHistories_areJudgedAsByTryingAllOrders() {
    int held = 0;
    for (int seed = 0; seed < 3_000; seed++) {
      List<Operation> history = randomHistory(new Random(seed));
      boolean expected = someOrderExplains(history, Operation.ABSENT);
      int shown = seed;
      assertEquals(
          expected, Linearizability.holds(history), () -> "seed " + shown + ": " + history);
      held += expected ? 1 : 0;
    }
    assertTrue(held > 300 && held < 2_700, "one-sided: " + held + " of 3000 hold");
  }

  private static List<Operation> randomHistory(Random random) {
    List<Integer> ticks = new ArrayList<>();
    int count = 2 + random.nextInt(4);
    for (int i = 0; i < 2 * count; i++) {
      ticks.add(i);
    }
    Collections.shuffle(ticks, random);
    List<Operation> history = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int a = ticks.get(2 * i);
      int b = ticks.get(2 * i + 1);
      long returned = random.nextInt(5) == 0 ? Operation.NEVER : Math.max(a, b);
      history.add(op(randomStep(random), Math.min(a, b), returned));
    }
    return history;
  }

  private static Step randomStep(Random random) {
    int value = random.nextInt(3);
    return switch (random.nextInt(4)) {
      case 0 -> new Put(value);
      case 1 -> new Swapped(value, random.nextInt(3));
      case 2 -> new SwapRefused(value);
      default -> new Read(value);
    };
  }

  private static boolean someOrderExplains(List<Operation> left, int state) {
    if (left.stream().noneMatch(Operation::answered)) {
      return true;
    }
    for (Operation next : left) {
      List<Operation> rest = new ArrayList<>(left);
      rest.remove(next);
      boolean inTime = rest.stream().noneMatch(it -> it.returned() < next.invoked());
      OptionalInt after = next.step().on(state);
      if (inTime && after.isPresent() && someOrderExplains(rest, after.getAsInt())) {
        return true;
      }
    }
    return false;
  }

  private static Operation op(Step step, long invoked, long returned) {
    return new Operation(step, invoked, returned);
  }

  private static void assertHolds(Operation... history) {
    assertTrue(Linearizability.holds(List.of(history)));
  }

  private static void assertFails(Operation... history) {
    assertFalse(Linearizability.holds(List.of(history)));
  }
}
