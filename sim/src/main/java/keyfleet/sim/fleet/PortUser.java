package keyfleet.sim.fleet;

/// Who uses a port.
public enum PortUser {
  /// The store itself, under everybody.
  STORE,
  MEMBER,
  APPLICATION,
  WORKER,
  OPERATOR,
  DRIVER,
  WATCHDOG
}
