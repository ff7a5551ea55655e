package keyfleet.watchdog;

import keyfleet.rollout.Moment;

/// The clocks of the node's machine. The elapsed clock counts suspend.
public interface Host {
  Moment moment();
}
