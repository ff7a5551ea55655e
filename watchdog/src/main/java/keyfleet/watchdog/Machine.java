package keyfleet.watchdog;

/// Everything that a watchdog uses on its own node.
public record Machine(Host host, Journal journal, Slots slots, Artifacts artifacts, Probe probe) {}
