package keyfleet.sim;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Event;
import org.jspecify.annotations.Nullable;

/// A driver of the rotation. Whatever it has read or decided, it may carry out much later, when
/// another has long taken over: then it is a zombie.
public record Worker(
    @Nullable Rewrap rewrap, @Nullable Fence fence, Event.@Nullable Driven report) {
  /// A record read, and the version it is to move to. A compare-and-set fails if the record changed
  /// since.
  public record Rewrap(int record, KekVersion to, Freshness freshness) {}

  public enum Freshness {
    UNCHANGED,
    CHANGED
  }

  static final Worker IDLE = new Worker(null, null, null);

  Worker rewrapping(@Nullable Rewrap newRewrap) {
    return new Worker(newRewrap, fence, report);
  }

  Worker fencing(@Nullable Fence newFence) {
    return new Worker(rewrap, newFence, report);
  }

  Worker reporting(Event.@Nullable Driven newReport) {
    return new Worker(rewrap, fence, newReport);
  }

  /// What becomes of it when somebody writes `record`.
  Worker seeing(int record) {
    return rewrap != null && rewrap.record() == record
        ? rewrapping(new Rewrap(record, rewrap.to(), Freshness.CHANGED))
        : this;
  }
}
