package keyfleet.cli.process;

import java.util.function.Supplier;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.store.Kv;
import org.jspecify.annotations.Nullable;

/// A store that is opened on first use. If that fails, the next call tries again. Calls are
/// synchronized.
final class LazyStoreConnection implements AutoCloseable {
  private final Supplier<StoreConnections> opener;
  private @Nullable StoreConnections storeConnections;

  LazyStoreConnection(Supplier<StoreConnections> opener) {
    this.opener = opener;
  }

  /// Throws if the store cannot be opened now.
  synchronized Kv kv() {
    StoreConnections current = storeConnections == null ? opener.get() : storeConnections;
    storeConnections = current;
    return current.kv();
  }

  @Override
  public synchronized void close() {
    if (storeConnections != null) {
      storeConnections.close();
      storeConnections = null;
    }
  }
}
