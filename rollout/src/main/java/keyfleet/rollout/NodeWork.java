package keyfleet.rollout;

import keyfleet.rollout.NodeEvent.Attempted;

/// What a watchdog must do now. Each action can be repeated without harm, because a crash may hide
/// that it was done.
public sealed interface NodeWork {
  record Nothing() implements NodeWork {}

  record Download(Attempted of, Sha256 release) implements NodeWork {}

  /// Find out which release runs; if it is not this one yet, check the rules.
  record Judge(Attempted of, Sha256 release) implements NodeWork {}

  record Swap(Attempted of, Sha256 release) implements NodeWork {}

  record Probe() implements NodeWork {}

  record SwapBack(Attempted of, Sha256 release) implements NodeWork {}

  record Discard(Attempted of, Sha256 release) implements NodeWork {}
}
