package keyfleet.watchdog;

import java.util.Set;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;

/// The releases on a node's disk, each complete and in a slot of its own; one of them runs (R22). A
/// release is named by its manifest's digest.
public interface ReleaseSlots {
  Sha256 running();

  /// The version of the running release.
  ReleaseVersion runningVersion();

  Set<Sha256> installed();

  /// Makes an installed release the running one, atomically: after a crash either the old one or
  /// this one runs. On return the change is durable and the software has been restarted, unless
  /// this release was running already.
  void activate(Sha256 release);

  /// Frees a slot; does nothing if it is free. It refuses to free the running one.
  void discard(Sha256 release);
}
