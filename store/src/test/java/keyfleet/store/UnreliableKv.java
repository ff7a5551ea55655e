package keyfleet.store;

import java.util.Optional;
import java.util.function.Supplier;

/// One client's connection that loses the answers of some writes. It works on any engine, because
/// losing an answer needs no help from the store. For use by one thread.
public final class UnreliableKv implements ForwardingKv {
  /// What happens to a write.
  public enum Fault {
    NONE,
    /// Applied, but the answer is lost.
    APPLIED,
    /// Never applied.
    LOST,
    /// Applied just before this client's next call, long after it gave up.
    LATE
  }

  private interface Call<T> {
    T send();
  }

  private final Kv inner;
  private final Supplier<Fault> faults;
  private Runnable late = () -> {};

  public UnreliableKv(Kv inner, Supplier<Fault> faults) {
    this.inner = inner;
    this.faults = faults;
  }

  @Override
  public Kv inner() {
    deliverLate();
    return inner;
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    return inner.get(
        bucket, key); // a late write arrives after the read-back, which is the hard case
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return sendWithFault(() -> inner.create(bucket, key, value), new Unknown());
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return sendWithFault(() -> inner.update(bucket, key, value, expected), new Unknown());
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return sendWithFault(() -> inner.put(bucket, key, value), new Unknown());
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    return sendWithFault(() -> inner.delete(bucket, key, expected), new Unknown());
  }

  private <T> T sendWithFault(Call<T> write, T unknown) {
    deliverLate();
    return switch (faults.get()) {
      case NONE -> write.send();
      case APPLIED -> {
        write.send();
        yield unknown;
      }
      case LOST -> unknown;
      case LATE -> {
        late = write::send;
        yield unknown;
      }
    };
  }

  private void deliverLate() {
    Runnable due = late;
    late = () -> {};
    due.run();
  }
}
