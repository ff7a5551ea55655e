package keyfleet.control.audit;

import java.time.Instant;
import java.time.InstantSource;

/// The actor that a process records in its audit entries, and the clock that dates them. The date
/// is for people, because store time is not a date; no decision depends on it.
public record AuditContext(AuditActor actor, InstantSource wallClock) {
  /// For processes that record neither an actor nor a date.
  public static final AuditContext ANONYMOUS =
      new AuditContext(
          new AuditActor("unknown", "unknown", "unknown"), InstantSource.fixed(Instant.EPOCH));
}
