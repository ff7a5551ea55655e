package keyfleet.member.heartbeat;

import keyfleet.member.document.KeystoreStore;
import keyfleet.store.StoreException;
import keyfleet.store.Watch;
import org.jspecify.annotations.Nullable;

/// Listens for changes of the keystore. Without the watch, a change is noticed up to a heartbeat
/// later; so a store that cannot be watched now is tried again in the next round. For one thread.
public final class KeystoreWatch {
  private final KeystoreStore keystores;
  private final Runnable onHint;
  private @Nullable Watch watch;

  public KeystoreWatch(KeystoreStore keystores, Runnable onHint) {
    this.keystores = keystores;
    this.onHint = onHint;
  }

  /// Starts the watch if it is not running. Returns whether it runs.
  boolean listen() {
    try {
      watch = watch == null ? keystores.watch(onHint) : watch;
    } catch (StoreException e) {
      return false;
    }
    return true;
  }

  void close() {
    Watch open = watch;
    watch = null;
    if (open != null) {
      open.close();
    }
  }
}
