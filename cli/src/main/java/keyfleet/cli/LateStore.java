package keyfleet.cli;

import java.util.function.Supplier;
import keyfleet.store.Kv;
import org.jspecify.annotations.Nullable;

/// A store that is opened when it can be: whoever needs it asks again. For one thread at a time.
final class LateStore implements AutoCloseable {
  private final Supplier<Stores> open;
  private @Nullable Stores stores;

  LateStore(Supplier<Stores> open) {
    this.open = open;
  }

  /// Throws while the store cannot be had.
  synchronized Kv kv() {
    Stores known = stores == null ? open.get() : stores;
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
