package keyfleet.watchdog;

/// Everything that a watchdog uses on its own node.
public record WatchdogPorts(
    NodeClock clock,
    JournalStore journal,
    ReleaseSlots slots,
    ReleaseFetcher fetcher,
    HealthProbe probe) {}
