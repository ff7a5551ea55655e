package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import keyfleet.control.rewrap.RewrapPass;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationId;
import org.junit.jupiter.api.Test;

/// The rate of a running rotation, which any process may change.
class RotationRateTest {
  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer worker = fleet.worker("worker-1", 1, 2);
  private final Peer operator = fleet.member("operator", 1, 2);

  private RotationId rotation() {
    return Rotation.lastJob(fleet.keystore().rotation()).orElseThrow().id();
  }

  /// The records that one tick moves.
  private long recordsOfATick() {
    long before = worker.loop.rewrappedRecords();
    worker.loop.tick();
    return worker.loop.rewrappedRecords() - before;
  }

  @Test
  void changedRate_limitsTheNextBatchesOfTheDriver() {
    fleet.bootstrap(worker);
    for (int i = 0; i < 4 * RewrapPass.FIRST_BATCH; i++) {
      worker.put("orders", "o%03d".formatted(i));
    }
    Map<String, String> before = fleet.contents();
    worker.operations.rotate(v(1), v(2));
    fleet.runUntil(Rotation.Rewrapping.class);
    assertEquals(RewrapPass.FIRST_BATCH, recordsOfATick());
    assertEquals(Optional.empty(), worker.loop.rate());
    operator.keyring.writeRate(new RotationRate(rotation(), 7));
    assertEquals(7, recordsOfATick());
    assertEquals(7, recordsOfATick());
    assertEquals(7, worker.loop.rate().orElseThrow().perSecond());
    operator.keyring.writeRate(new RotationRate(rotation(), 0));
    recordsOfATick(); // as large as the last one; after it the batches grow
    assertTrue(recordsOfATick() > 7);
    operator.keyring.writeRate(new RotationRate(new RotationId("another"), 1));
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }
}
