package keyfleet.control.rollout;

import static keyfleet.control.rollout.RolloutTestFleet.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import keyfleet.control.Failpoints;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import keyfleet.store.UnreliableKv;
import keyfleet.store.UnreliableKv.Fault;
import keyfleet.wire.RolloutKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A rollout's spec and its control record are two writes and two reads. The simulator found the
/// faults that can happen between them.
class RolloutSpecReadTest {
  private static final RolloutId R1 = new RolloutId("r1");
  private static final RolloutSpec SPEC = spec("r1", "a", "b", new RolloutLimits(1, 1, 0, 1));
  private static final String HIDDEN = "the spec of rollout r1 cannot be read yet";

  private final RolloutTestFleet fleet = new RolloutTestFleet("a b");

  /// Hides a key for some reads, as if it was not written yet.
  private static final class LaggingKv implements ForwardingKv {
    private final Kv inner;
    private final Key hidden;
    private int reads;

    LaggingKv(Kv inner, Key hidden, int reads) {
      this.inner = inner;
      this.hidden = hidden;
      this.reads = reads;
    }

    @Override
    public Kv inner() {
      return inner;
    }

    @Override
    public Optional<Entry> get(Bucket bucket, Key key) {
      return key.equals(hidden) && reads-- > 0 ? Optional.empty() : inner.get(bucket, key);
    }
  }

  private RolloutOperations operations(Kv connection) {
    return new RolloutOperations("operator", connection, fleet.nonces(), Failpoints.NONE);
  }

  private boolean exists(Key key) {
    return fleet.kv.get(RolloutKeys.ROLLOUTS, key).isPresent();
  }

  @ParameterizedTest
  @EnumSource(names = {"LOST", "LATE"})
  void specWithUnknownWriteOutcome_getsNoControlRecord(Fault last) {
    Deque<Fault> faults =
        new ArrayDeque<>(Collections.nCopies(RolloutStore.MAX_TRIES - 1, Fault.LOST));
    faults.add(last);
    UnreliableKv unsure =
        new UnreliableKv(fleet.kv, () -> Objects.requireNonNullElse(faults.poll(), Fault.NONE));
    assertInstanceOf(RolloutOperationResult.Unconfirmed.class, operations(unsure).start(SPEC));
    assertFalse(exists(RolloutKeys.control(R1)), "the control record of an unreadable rollout");
    assertFalse(fleet.hasDriverKey("r1"), "no driver is requested");
    assertInstanceOf(RolloutOperationResult.Done.class, operations(unsure).start(SPEC));
    fleet.run("r1", fleet.driver("first"));
    fleet.assertCompleted("r1");
  }

  @Test
  void specHiddenByAStaleRead_isReadAgainByAnOperation() {
    operations(fleet.kv).start(SPEC);
    RolloutOperations operations = operations(new LaggingKv(fleet.kv, RolloutKeys.spec(R1), 1));
    StoreException hidden = assertThrows(StoreException.class, () -> operations.pause(R1));
    assertEquals(HIDDEN, hidden.getMessage());
    assertInstanceOf(RolloutOperationResult.Done.class, operations.pause(R1));
  }

  @Test
  void specHiddenByAStaleRead_isReadAgainByADriver() {
    operations(fleet.kv).start(SPEC);
    Kv lagging = new LaggingKv(fleet.kv, RolloutKeys.spec(R1), 2);
    RolloutLoop driver = fleet.driver("first", lagging, Failpoints.NONE);
    fleet.step(driver);
    assertEquals(Map.of("store", HIDDEN), driver.problems());
    fleet.run("r1", driver);
    assertEquals(Map.of(), driver.problems());
    fleet.assertCompleted("r1");
  }
}
