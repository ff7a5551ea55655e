package keyfleet.watchdog;

import keyfleet.rollout.node.ClockReading;

/// The clocks of the node's machine. The elapsed clock counts suspend.
public interface NodeClock {
  ClockReading clockReading();
}
