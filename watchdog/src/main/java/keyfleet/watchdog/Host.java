package keyfleet.watchdog;

import keyfleet.rollout.Moment;

/// The machine's clocks. The elapsed one counts suspend.
public interface Host {
  Moment moment();
}
