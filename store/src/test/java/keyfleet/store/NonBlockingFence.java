package keyfleet.store;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.RecordWriteResult.Fenced;
import org.jspecify.annotations.Nullable;

/// Raises its fence while some writers have checked the fence and not yet written. They write after
/// the next census. A fence that is raised before the first write waits for no writer.
final class NonBlockingFence implements ForwardingRecords {
  /// This many inserts are not delayed, so that the test can reach its fence.
  private static final int UNDELAYED = FenceContract.BEFORE_FENCE;

  private final Records inner;
  private final AtomicInteger inserts = new AtomicInteger();
  private final CountDownLatch checkedOnly = new CountDownLatch(1);
  private final CountDownLatch counted = new CountDownLatch(1);
  private volatile @Nullable Fence fence;

  NonBlockingFence(Records inner) {
    this.inner = inner;
  }

  @Override
  public Records inner() {
    return inner;
  }

  @Override
  public RecordWriteResult insert(StoredRecord added) {
    Fence held = fence;
    if (held != null && !held.isChangeAllowed(SealedFields.NONE, added.fields())) {
      return new Fenced(held);
    }
    if (inserts.incrementAndGet() > UNDELAYED) {
      checkedOnly.countDown();
      await(counted);
    }
    return inner.insert(added);
  }

  @Override
  public FenceResult fence(Fence next) {
    if (inserts.get() > 0) {
      await(checkedOnly);
    }
    fence = next;
    return new Raised();
  }

  @Override
  public FenceResult replaceFence(Fence held, Fence next) {
    return fence(next);
  }

  @Override
  public Optional<Fence> fence() {
    return Optional.ofNullable(fence);
  }

  @Override
  public Census census() {
    Census census = inner.census();
    counted.countDown();
    return census;
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(10, TimeUnit.SECONDS)) {
        throw new StoreException("no other thread came");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting for another thread", e);
    }
  }
}
