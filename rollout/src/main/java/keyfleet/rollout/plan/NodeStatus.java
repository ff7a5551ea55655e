package keyfleet.rollout.plan;

import keyfleet.rollout.NodeId;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.node.Quarantine;
import keyfleet.rollout.target.Facts;

/// What is known about a node when a rollout is prepared. `report` is the node's own record, which
/// outlives its connection; `presence` says whether its heartbeat is fresh.
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

  /// Protocol 0 means that the node never reported one; `running` is the version that it runs.
  public record Reported(Health health, int protocol, ReleaseVersion running, Quarantine quarantine)
      implements Report {
    public Reported {
      if (protocol < 0) {
        throw new IllegalArgumentException("a protocol must not be negative: " + protocol);
      }
    }

    /// For a node that does not report its version and has rolled nothing back.
    public Reported(Health health, int protocol) {
      this(health, protocol, ReleaseVersion.NONE, Quarantine.NONE);
    }
  }

  /// A record exists but cannot be parsed.
  public record Unreadable() implements Report {}

  /// The node is enrolled and has never reported.
  public record Missing() implements Report {}

  int protocol() {
    return report instanceof Reported reported ? reported.protocol() : 0;
  }

  ReleaseVersion running() {
    return report instanceof Reported reported ? reported.running() : ReleaseVersion.NONE;
  }

  Quarantine quarantine() {
    return report instanceof Reported reported ? reported.quarantine() : Quarantine.NONE;
  }

  boolean isDegraded() {
    return report instanceof Reported reported && reported.health() == Health.DEGRADED;
  }
}
