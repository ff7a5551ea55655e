package keyfleet.watchdog;

/// All that a watchdog touches on its own node.
public record Machine(Host host, Journal journal, Slots slots, Artifacts artifacts, Probe probe) {}
