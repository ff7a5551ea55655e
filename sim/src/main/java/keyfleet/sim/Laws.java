package keyfleet.sim;

import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Decision;
import keyfleet.keyring.Event;
import keyfleet.keyring.Keystore;

/// What stores and deciding code do. These are the true ones; the tests bend them one at a time, to
/// see that the explorer notices.
public interface Laws {
  Laws TRUE = new Laws() {};

  default Decision decide(Keystore keystore, Event event) {
    return keystore.decide(event);
  }

  /// Whether a store lets a record of version `before` be written under `after`.
  default boolean admits(Fence fence, KekVersion before, KekVersion after) {
    return after.equals(before) || fence.writable().contains(after);
  }

  /// Whether a store with the fence `present` takes another.
  default boolean takes(Fence present, Fence offered) {
    return offered.epoch() >= present.epoch();
  }

  /// The fence that a driver asks for.
  default Set<KekVersion> wanted(Keystore keystore) {
    return keystore.writable();
  }

  /// Whether a writer without a lease seals nothing.
  default boolean respectsLease() {
    return true;
  }
}
