package keyfleet.cli.process;

import java.util.function.Supplier;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.store.Kv;
import org.jspecify.annotations.Nullable;

/// A store that is opened when it can be: whoever needs it asks again. For one thread at a time.
final class LazyStoreConnection implements AutoCloseable {
  private final Supplier<StoreConnections> open;
  private @Nullable StoreConnections stores;

  LazyStoreConnection(Supplier<StoreConnections> open) {
    this.open = open;
  }

  /// Throws while the store cannot be had.
  synchronized Kv kv() {
    StoreConnections known = stores == null ? open.get() : stores;
    stores = known;
    return known.kv();
  }

  @Override
  public synchronized void close() {
    if (stores != null) {
      stores.close();
      stores = null;
    }
  }
}
