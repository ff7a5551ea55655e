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
import keyfleet.store.RegisterOperation.Effect;
import keyfleet.store.RegisterOperation.Effect.Put;
import keyfleet.store.RegisterOperation.Effect.Read;
import keyfleet.store.RegisterOperation.Effect.RefusedSwap;
import keyfleet.store.RegisterOperation.Effect.Swap;
import org.junit.jupiter.api.Test;

class LinearizabilityCheckerTest {
  @Test
  void sequentialCalls_areLinearizable() {
    assertHolds(
        operation(new Read(0), 1, 2),
        operation(new Swap(0, 7), 3, 4),
        operation(new Read(7), 5, 6));
  }

  @Test
  void staleRead_isFound() {
    assertFails(
        operation(new Put(7), 1, 2), operation(new Put(8), 3, 4), operation(new Read(7), 5, 6));
  }

  @Test
  void readDuringWrite_mayBeEither() {
    assertHolds(operation(new Put(7), 1, 4), operation(new Read(0), 2, 3));
    assertHolds(operation(new Put(7), 1, 4), operation(new Read(7), 2, 3));
  }

  @Test
  void readsDuringWriteThatGoBack_areFound() {
    assertFails(
        operation(new Put(7), 1, 6), operation(new Read(7), 2, 3), operation(new Read(0), 4, 5));
  }

  @Test
  void lostAcknowledgedWrite_isFound() {
    assertFails(operation(new Swap(0, 7), 1, 2), operation(new Read(0), 3, 4));
  }

  @Test
  void twoWinnersFromOneValue_areFound() {
    assertFails(operation(new Swap(0, 7), 1, 3), operation(new Swap(0, 8), 2, 4));
  }

  @Test
  void refusalWithoutCause_isFound() {
    assertFails(operation(new RefusedSwap(0), 1, 2));
    assertHolds(operation(new RefusedSwap(0), 1, 4), operation(new Put(7), 2, 3));
  }

  @Test
  void unansweredWrite_mayComeLateOrNever() {
    RegisterOperation unanswered = operation(new Put(7), 1, RegisterOperation.NEVER);
    assertHolds(unanswered, operation(new Read(0), 2, 3), operation(new Read(7), 4, 5));
    assertHolds(unanswered, operation(new Read(0), 2, 3), operation(new Read(0), 4, 5));
  }

  @Test
  void unansweredWrite_comesOnceAndNotBeforeItBegan() {
    assertFails(operation(new Read(7), 1, 2), operation(new Put(7), 3, RegisterOperation.NEVER));
    assertFails(
        operation(new Put(7), 1, RegisterOperation.NEVER),
        operation(new Read(7), 2, 3),
        operation(new Put(8), 4, 5),
        operation(new Read(8), 6, 7),
        operation(new Read(7), 8, 9));
  }

  @Test
  void tooLongHistory_isRefused() {
    List<RegisterOperation> long65 = Collections.nCopies(65, operation(new Read(0), 1, 2));
    assertThrows(
        IllegalArgumentException.class, () -> LinearizabilityChecker.isLinearizable(long65));
  }

  /// Compares the search with the definition: tries all orders of all subsets that include every
  /// answered call.
  @Test
  void randomHistories_agreeWithTryingAllOrders() {
    int held = 0;
    for (int seed = 0; seed < 3_000; seed++) {
      List<RegisterOperation> history = randomHistory(new Random(seed));
      boolean expected = hasLegalOrder(history, RegisterOperation.ABSENT);
      int shown = seed;
      assertEquals(
          expected,
          LinearizabilityChecker.isLinearizable(history),
          () -> "seed " + shown + ": " + history);
      held += expected ? 1 : 0;
    }
    assertTrue(held > 300 && held < 2_700, "one-sided: " + held + " of 3000 hold");
  }

  private static List<RegisterOperation> randomHistory(Random random) {
    List<Integer> ticks = new ArrayList<>();
    int count = 2 + random.nextInt(4);
    for (int i = 0; i < 2 * count; i++) {
      ticks.add(i);
    }
    Collections.shuffle(ticks, random);
    List<RegisterOperation> history = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int a = ticks.get(2 * i);
      int b = ticks.get(2 * i + 1);
      long returned = random.nextInt(5) == 0 ? RegisterOperation.NEVER : Math.max(a, b);
      history.add(operation(randomStep(random), Math.min(a, b), returned));
    }
    return history;
  }

  private static Effect randomStep(Random random) {
    int value = random.nextInt(3);
    return switch (random.nextInt(4)) {
      case 0 -> new Put(value);
      case 1 -> new Swap(value, random.nextInt(3));
      case 2 -> new RefusedSwap(value);
      default -> new Read(value);
    };
  }

  private static boolean hasLegalOrder(List<RegisterOperation> left, int state) {
    if (left.stream().noneMatch(RegisterOperation::isAnswered)) {
      return true;
    }
    for (RegisterOperation next : left) {
      List<RegisterOperation> rest = new ArrayList<>(left);
      rest.remove(next);
      boolean inTime = rest.stream().noneMatch(it -> it.returned() < next.invoked());
      OptionalInt after = next.effect().applyTo(state);
      if (inTime && after.isPresent() && hasLegalOrder(rest, after.getAsInt())) {
        return true;
      }
    }
    return false;
  }

  private static RegisterOperation operation(Effect effect, long invoked, long returned) {
    return new RegisterOperation(effect, invoked, returned);
  }

  private static void assertHolds(RegisterOperation... history) {
    assertTrue(LinearizabilityChecker.isLinearizable(List.of(history)));
  }

  private static void assertFails(RegisterOperation... history) {
    assertFalse(LinearizabilityChecker.isLinearizable(List.of(history)));
  }
}
