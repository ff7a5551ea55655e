package keyfleet.control.audit;

import java.time.Instant;
import java.time.InstantSource;

/// In whose name a process changes keystores, and the calendar by which it dates what it notes. The
/// date is for people, as store time is none; nothing is decided by it.
public record AuditContext(AuditActor actor, InstantSource wallClock) {
  /// For who does not say who it is, nor what day.
  public static final AuditContext ANONYMOUS =
      new AuditContext(
          new AuditActor("unknown", "unknown", "unknown"), InstantSource.fixed(Instant.EPOCH));
}
