package keyfleet.rollout;

/// What is known of a node when a rollout is prepared. `report` is the node's own record, which
/// outlives its connection; `presence` is whether its heartbeat is fresh.
public record NodeStatus(NodeId node, Presence presence, Report report, Facts facts) {
  public enum Presence {
    ONLINE,
    OFFLINE
  }

  public enum Health {
    HEALTHY,
    DEGRADED
  }

  public sealed interface Report {}

  /// Protocol 0 means that the node never stamped one; `running` is the version that it runs.
  public record Reported(Health health, int protocol, Version running, Quarantine quarantine)
      implements Report {
    public Reported {
      if (protocol < 0) {
        throw new IllegalArgumentException("a protocol is not negative: " + protocol);
      }
    }

    /// Of a node that does not say what it runs, and has rolled nothing back.
    public Reported(Health health, int protocol) {
      this(health, protocol, Version.NONE, Quarantine.NONE);
    }
  }

  /// A record is there and cannot be understood.
  public record Unreadable() implements Report {}

  /// The node is enrolled and has never reported.
  public record Missing() implements Report {}

  int protocol() {
    return report instanceof Reported reported ? reported.protocol() : 0;
  }

  Version running() {
    return report instanceof Reported reported ? reported.running() : Version.NONE;
  }

  Quarantine quarantine() {
    return report instanceof Reported reported ? reported.quarantine() : Quarantine.NONE;
  }

  boolean isDegraded() {
    return report instanceof Reported reported && reported.health() == Health.DEGRADED;
  }
}
