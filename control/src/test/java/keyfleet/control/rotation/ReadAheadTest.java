package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.control.Failpoints;
import keyfleet.control.rewrap.ThreadPoolBatchExecutor;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Rotation;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.Test;

/// A pass whose threads read and rewrap batches ahead of the writes.
class ReadAheadTest {
  private static final int RECORDS = 100;
  private static final int BATCH = 7;
  private static final int MAX_TICKS = 1_000;

  private final RotationTestFleet fleet = new RotationTestFleet();

  /// Each fifth call for a batch fails.
  private record FlakyRecords(Records inner, AtomicInteger calls) implements ForwardingRecords {
    @Override
    public List<StoredRecord> scan(KekVersion version, int limit) {
      count();
      return inner.scan(version, limit);
    }

    @Override
    public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
      count();
      return inner.scan(version, after, limit);
    }

    @Override
    public List<RecordWriteResult> compareAndSetAll(List<RecordChange> recordChanges) {
      count();
      return inner.compareAndSetAll(recordChanges);
    }

    private void count() {
      if (calls.incrementAndGet() % 5 == 0) {
        throw new StoreException("no answer");
      }
    }
  }

  @Test
  void batchesThatFail_areRetriedAndNoRecordIsSkipped() {
    Peer worker = fleet.worker("worker-1", 1, 2);
    fleet.bootstrap(worker);
    for (int i = 0; i < RECORDS; i++) {
      worker.put("orders", "o%03d".formatted(i));
    }
    Map<String, String> before = fleet.contents();
    worker.operations.rotate(v(1), v(2));
    FlakyRecords flakyRecords = new FlakyRecords(fleet.records("orders"), new AtomicInteger());
    try (ThreadPoolBatchExecutor executor = new ThreadPoolBatchExecutor()) {
      CollectionCatalog collectionCatalog =
          new CollectionCatalog(
              worker.keyring, _ -> Optional.of(flakyRecords), executor, BATCH, Failpoints.NONE);
      RotationLoop loop =
          new RotationLoop(
              "worker-1", worker.keyring, collectionCatalog, worker.keys, fleet::nanos);
      assertTrue(runFirstPass(loop) > 0, "no call failed, so the test shows nothing");
    }
    // checked before the sweep, which would rewrap records that the pass skipped
    assertEquals(under(2, before), fleet.contents());
  }

  /// Runs to the end of the first pass, and returns the number of failed ticks.
  private int runFirstPass(RotationLoop loop) {
    int failures = 0;
    for (int i = 0; !(fleet.keystore().rotation() instanceof Rotation.Settling); i++) {
      assertTrue(i < MAX_TICKS, () -> "it stays in " + fleet.keystore().rotation());
      if (loop.tick() == RotationLoop.NextTick.LATER) {
        fleet.advance(RotationTestFleet.TIMINGS.heartbeat().dividedBy(2));
        fleet.heartbeatAll();
      }
      failures += loop.lastFailure().isPresent() ? 1 : 0;
    }
    return failures;
  }
}
