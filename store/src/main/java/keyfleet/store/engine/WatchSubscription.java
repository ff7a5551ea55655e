package keyfleet.store.engine;

import keyfleet.store.ChangeHint;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;

/// A watch that passes hints to its watcher until it is closed. After that no hint starts, whatever
/// thread delivers it.
public final class WatchSubscription implements Watch {
  private final Watcher watcher;
  private boolean closed;

  public WatchSubscription(Watcher watcher) {
    this.watcher = watcher;
  }

  /// Never throws: a bug in one watcher must neither end its watch nor keep hints from others. That
  /// watcher loses the hint, as it may lose any hint, and lists again on its period.
  public synchronized void deliver(ChangeHint hint) {
    if (closed) {
      return;
    }
    try {
      watcher.onHint(hint);
    } catch (RuntimeException e) {
      // See above.
    }
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public synchronized void close() {
    closed = true;
  }
}
