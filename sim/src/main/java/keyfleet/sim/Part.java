package keyfleet.sim;

/// Who uses a port.
enum Part {
  /// The store itself, under everybody.
  STORE,
  MEMBER,
  APPLICATION,
  WORKER,
  OPERATOR,
  DRIVER,
  WATCHDOG
}
