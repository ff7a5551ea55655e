package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.control.Failpoints;
import keyfleet.control.rewrap.BatchExecutor;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Rotation;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A driver opens a collection once in a phase, unless one is missing.
class CollectionLookupTest {
  private static final int RECORDS = 40;
  private static final int BATCH = 4;
  private static final int MAX_TICKS = 200;

  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer worker = fleet.worker("worker-1", 1, 2);
  private final List<String> lookups = new ArrayList<>();
  private final RotationLoop loop =
      new RotationLoop(
          "worker-1",
          worker.keyring,
          new CollectionCatalog(
              worker.keyring, this::open, BatchExecutor.DIRECT, BATCH, Failpoints.NONE),
          worker.keys,
          fleet::nanos);

  private boolean isUnreachable;
  private int failures;

  private Optional<Records> open(CollectionRegistration registration) {
    lookups.add(registration.collection());
    if (failures > 0) {
      failures--;
      throw new StoreException("no answer");
    }
    return isUnreachable ? Optional.empty() : Optional.of(fleet.records(registration.collection()));
  }

  @BeforeEach
  void begin() {
    fleet.bootstrap(worker);
    for (int i = 0; i < RECORDS; i++) {
      worker.put("orders", "o%03d".formatted(i));
    }
    worker.operations.rotate(v(1), v(2));
    tickUntil(Rotation.Rewrapping.class);
    lookups.clear();
  }

  private void tickUntil(Class<? extends Rotation> phase) {
    for (int i = 0; !phase.isInstance(fleet.keystore().rotation()); i++) {
      assertTrue(i < MAX_TICKS, () -> "it stays in " + fleet.keystore().rotation());
      if (loop.tick() == RotationLoop.NextTick.LATER) {
        fleet.advance(RotationTestFleet.TIMINGS.heartbeat().dividedBy(2));
        fleet.heartbeatAll();
      }
    }
  }

  @Test
  void passOfManyBatches_opensItsCollectionOnce() {
    tickUntil(Rotation.Settling.class);
    assertEquals(List.of("orders"), lookups);
  }

  @Test
  void collectionRegisteredDuringThePass_isSweptWithTheOthers() {
    loop.tick();
    worker.put("refunds", "r1");
    loop.tick();
    assertEquals(List.of("orders", "orders", "refunds"), lookups);
    Map<String, String> before = fleet.contents();
    tickUntil(Rotation.Completed.class);
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void missingCollection_isLookedUpInEachTick() {
    isUnreachable = true;
    loop.tick();
    loop.tick();
    assertEquals(List.of("orders", "orders"), lookups);
    isUnreachable = false;
    tickUntil(Rotation.Settling.class);
    lookups.clear();
    loop.tick();
    loop.tick();
    assertEquals(List.of("orders"), lookups);
  }

  @Test
  void failedTick_makesTheNextOpenAllAgain() {
    failures = 1;
    loop.tick();
    assertTrue(loop.lastFailure().isPresent());
    loop.tick();
    loop.tick();
    assertEquals(List.of("orders", "orders"), lookups);
  }
}
