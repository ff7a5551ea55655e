package keyfleet.watchdog;

import java.util.Set;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Version;

/// The releases on a node's disk, each whole and in a place of its own, one of which runs (R22). A
/// release is named by its manifest's digest.
public interface Slots {
  Sha256 running();

  /// The name of what runs.
  Version version();

  Set<Sha256> held();

  /// Makes a held release the one that runs, atomically: a crash leaves the old one or this one. On
  /// return that is durable and the software has been started anew, unless it was running already.
  void run(Sha256 release);

  /// Frees a slot; nothing if it is free. The running one is refused.
  void discard(Sha256 release);
}
