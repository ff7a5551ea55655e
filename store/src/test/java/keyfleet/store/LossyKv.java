package keyfleet.store;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.store.WriteResult.Written;

/// Acknowledges and drops every twentieth write that would have succeeded.
public final class LossyKv implements ForwardingKv {
  private static final int EVERY = 20;
  private static final long FAKE_REVISIONS = 1L << 40;

  private final Kv inner;
  private final AtomicInteger writes = new AtomicInteger();

  public LossyKv(Kv inner) {
    this.inner = inner;
  }

  @Override
  public Kv inner() {
    return inner;
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return inner.get(bucket, key).isEmpty() && shouldDrop()
        ? fakeAcknowledgement()
        : inner.create(bucket, key, value);
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    Optional<Revision> held = inner.get(bucket, key).map(Entry::revision);
    return held.equals(Optional.of(expected)) && shouldDrop()
        ? fakeAcknowledgement()
        : inner.update(bucket, key, value, expected);
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return shouldDrop() ? fakeAcknowledgement() : inner.put(bucket, key, value);
  }

  private boolean shouldDrop() {
    return writes.incrementAndGet() % EVERY == 0;
  }

  private WriteResult fakeAcknowledgement() {
    return new Written(new Revision(FAKE_REVISIONS + writes.get()));
  }
}
