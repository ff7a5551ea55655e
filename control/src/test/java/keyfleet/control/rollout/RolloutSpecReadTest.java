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

/// A rollout's spec and its control record are two writes and two reads. The swarm found what comes
/// between them.
class RolloutSpecReadTest {
  private static final RolloutId R1 = new RolloutId("r1");
  private static final RolloutSpec SPEC = spec("r1", "a", "b", new RolloutLimits(1, 1, 0, 1));
  private static final String HIDDEN = "the spec of rollout r1 is not to be seen";

  private final RolloutTestFleet rig = new RolloutTestFleet("a b");

  /// Shows a key as it was before its first write, for some reads.
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

  private RolloutOperations orders(Kv connection) {
    return new RolloutOperations("operator", connection, rig.nonces(), Failpoints.NONE);
  }

  private boolean stands(Key key) {
    return rig.kv.get(RolloutKeys.ROLLOUTS, key).isPresent();
  }

  @ParameterizedTest
  @EnumSource(names = {"LOST", "LATE"})
  void specWhoseWriteStaysOpen_getsNoControlRecord(Fault last) {
    Deque<Fault> faults = new ArrayDeque<>(Collections.nCopies(RolloutStore.TRIES - 1, Fault.LOST));
    faults.add(last);
    UnreliableKv unsure =
        new UnreliableKv(rig.kv, () -> Objects.requireNonNullElse(faults.poll(), Fault.NONE));
    assertInstanceOf(RolloutOperationResult.Unconfirmed.class, orders(unsure).start(SPEC));
    assertFalse(stands(RolloutKeys.control(R1)), "a rollout that nobody could read");
    assertFalse(rig.isOpen("r1"), "nobody is called to drive it");
    assertInstanceOf(RolloutOperationResult.Done.class, orders(unsure).start(SPEC));
    rig.run("r1", rig.driver("first", Failpoints.NONE));
    rig.assertCompleted("r1");
  }

  @Test
  void specThatAStaleReadHides_isAskedForAgainByWhoGivesOrders() {
    orders(rig.kv).start(SPEC);
    RolloutOperations orders = orders(new LaggingKv(rig.kv, RolloutKeys.spec(R1), 1));
    StoreException hidden = assertThrows(StoreException.class, () -> orders.pause(R1));
    assertEquals(HIDDEN, hidden.getMessage());
    assertInstanceOf(RolloutOperationResult.Done.class, orders.pause(R1));
  }

  @Test
  void specThatAStaleReadHides_isAskedForAgainByADriver() {
    orders(rig.kv).start(SPEC);
    Kv lagging = new LaggingKv(rig.kv, RolloutKeys.spec(R1), 2);
    RolloutLoop driver = rig.driver("first", lagging, Failpoints.NONE);
    rig.step(driver);
    assertEquals(Map.of("store", HIDDEN), driver.troubles());
    rig.run("r1", driver);
    assertEquals(Map.of(), driver.troubles());
    rig.assertCompleted("r1");
  }
}
