package keyfleet.it.soak;

import java.util.Arrays;
import java.util.List;

/// What is done to a plugin under load.
enum SoakFault {
  /// The remote answers 429, and names a rest.
  REMOTE_BUSY,
  /// The remote answers 503.
  REMOTE_DOWN,
  /// The remote answers later than anybody waits.
  REMOTE_SLOW,
  /// The remote hangs up.
  REMOTE_CUT,
  /// Somebody holds the store's lock: nothing can be written there.
  STORE_LOCKED,
  /// SIGKILL, and up again.
  KILL,
  /// SIGKILL, and up again while the remote does not answer.
  KILL_WITHOUT_REMOTE,
  /// SIGKILL, and up again; then the remote goes, before every old local KEK was asked for.
  KILL_BEFORE_REMOTE_DOWN,
  /// SIGKILL, and up again without a store, until another SIGKILL.
  KILL_WITHOUT_STORE,
  /// The keyring gets a new version, with a SIGKILL near the change.
  ROTATION;

  boolean isKill() {
    return switch (this) {
      case REMOTE_BUSY, REMOTE_DOWN, REMOTE_SLOW, REMOTE_CUT, STORE_LOCKED -> false;
      case KILL, KILL_WITHOUT_REMOTE, KILL_BEFORE_REMOTE_DOWN, KILL_WITHOUT_STORE, ROTATION -> true;
    };
  }

  /// All that may come at any time.
  static List<SoakFault> usual() {
    return Arrays.stream(values()).filter(it -> it != ROTATION).toList();
  }

  /// Those that a process lives through.
  static List<SoakFault> survivable() {
    return Arrays.stream(values()).filter(it -> !it.isKill()).toList();
  }
}
