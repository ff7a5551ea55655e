package keyfleet.watchdog;

import keyfleet.rollout.node.ClockReading;

/// The clocks of the node's machine. The elapsed clock also counts the time while the machine is
/// suspended.
public interface NodeClock {
  ClockReading now();
}
