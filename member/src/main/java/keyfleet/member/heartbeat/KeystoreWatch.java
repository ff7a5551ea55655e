package keyfleet.member.heartbeat;

import keyfleet.member.document.KeystoreStore;
import keyfleet.store.StoreException;
import keyfleet.store.Watch;
import org.jspecify.annotations.Nullable;

/// Listens for changes of the keystore. Without it a change is seen a heartbeat later, so a store
/// that cannot be watched just now is asked again. For one thread.
public final class KeystoreWatch {
  private final KeystoreStore keystoreStore;
  private final Runnable onHint;
  private @Nullable Watch watch;

  public KeystoreWatch(KeystoreStore keystoreStore, Runnable onHint) {
    this.keystoreStore = keystoreStore;
    this.onHint = onHint;
  }

  /// Whether it listens now.
  boolean listen() {
    try {
      watch = watch == null ? keystoreStore.watch(onHint) : watch;
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
