package keyfleet.sim.fleet;

/// The part of a fleet that uses a port.
public enum PortUser {
  /// The store itself, below all users.
  STORE,
  MEMBER,
  APPLICATION,
  WORKER,
  OPERATOR,
  DRIVER,
  WATCHDOG
}
