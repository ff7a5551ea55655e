package keyfleet.watchdog;

/// Everything that a watchdog uses on its own node.
public record WatchdogPorts(
    NodeClock host,
    JournalStore journal,
    ReleaseSlots slots,
    ReleaseFetcher artifacts,
    HealthProbe probe) {}
