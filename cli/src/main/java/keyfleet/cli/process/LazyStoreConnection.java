package keyfleet.cli.process;

import java.util.function.Supplier;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.store.Kv;
import org.jspecify.annotations.Nullable;

/// A store that is opened when it can be: whoever needs it asks again. For one thread at a time.
final class LazyStoreConnection implements AutoCloseable {
  private final Supplier<StoreConnections> opener;
  private @Nullable StoreConnections storeConnections;

  LazyStoreConnection(Supplier<StoreConnections> opener) {
    this.opener = opener;
  }

  /// Throws while the store cannot be had.
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
