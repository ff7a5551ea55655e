package keyfleet.store;

import java.util.OptionalInt;

/// A call on a register, from the tick at which it began to the tick at which it was answered. An
/// unanswered call may take effect at any time after it began, or never.
record RegisterOperation(Effect effect, long invoked, long returned) {
  static final long NEVER = Long.MAX_VALUE;

  /// The value of the register while its key is absent.
  static final int ABSENT = 0;

  boolean isAnswered() {
    return returned != NEVER;
  }

  /// The effect of a call on the register, according to its answer.
  sealed interface Effect {
    /// The value of the register afterwards; empty if the effect is impossible in `state`.
    OptionalInt applyTo(int state);

    record Read(int seen) implements Effect {
      @Override
      public OptionalInt applyTo(int state) {
        return state == seen ? OptionalInt.of(state) : OptionalInt.empty();
      }
    }

    record Put(int value) implements Effect {
      @Override
      public OptionalInt applyTo(int state) {
        return OptionalInt.of(value);
      }
    }

    record Swap(int expected, int value) implements Effect {
      @Override
      public OptionalInt applyTo(int state) {
        return state == expected ? OptionalInt.of(value) : OptionalInt.empty();
      }
    }

    record RefusedSwap(int expected) implements Effect {
      @Override
      public OptionalInt applyTo(int state) {
        return state == expected ? OptionalInt.empty() : OptionalInt.of(state);
      }
    }
  }
}
