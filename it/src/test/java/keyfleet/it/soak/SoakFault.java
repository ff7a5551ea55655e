package keyfleet.it.soak;

import java.util.Arrays;
import java.util.List;

/// A fault that the soak injects into a plugin under load.
enum SoakFault {
  /// The remote answers 429 with a Retry-After.
  REMOTE_BUSY,
  /// The remote answers 503.
  REMOTE_DOWN,
  /// The remote answers too late.
  REMOTE_SLOW,
  /// The remote closes connections without an answer.
  REMOTE_CUT,
  /// Another process holds the store's lock: nothing can be written.
  STORE_LOCKED,
  /// SIGKILL, then a restart.
  KILL,
  /// SIGKILL, then a restart while the remote does not answer.
  KILL_WITHOUT_REMOTE,
  /// SIGKILL, then a restart; then the remote fails before every old local KEK is unwrapped again.
  KILL_BEFORE_REMOTE_DOWN,
  /// SIGKILL, then a restart without a store, until another SIGKILL.
  KILL_WITHOUT_STORE,
  /// The keyring rotates to a new version, with a SIGKILL near the change.
  ROTATION;

  boolean isKill() {
    return switch (this) {
      case REMOTE_BUSY, REMOTE_DOWN, REMOTE_SLOW, REMOTE_CUT, STORE_LOCKED -> false;
      case KILL, KILL_WITHOUT_REMOTE, KILL_BEFORE_REMOTE_DOWN, KILL_WITHOUT_STORE, ROTATION -> true;
    };
  }

  /// The faults that may happen at any time.
  static List<SoakFault> usual() {
    return Arrays.stream(values()).filter(it -> it != ROTATION).toList();
  }

  /// The faults that do not end the process.
  static List<SoakFault> survivable() {
    return Arrays.stream(values()).filter(it -> !it.isKill()).toList();
  }
}
