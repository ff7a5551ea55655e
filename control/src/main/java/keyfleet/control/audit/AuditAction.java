package keyfleet.control.audit;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import keyfleet.store.StoreTime;

/// Who did what, and when.
///
/// @param summary the operation or event in a few words ([AuditSummary])
/// @param rotation the id of the rotation that it is part of, or empty
/// @param storeTime the time by the store's clock; it follows the order of the changes
/// @param date the time by the process's own clock, which may be wrong
public record AuditAction(
    AuditActor actor, String summary, String rotation, StoreTime storeTime, Instant date) {
  public AuditAction {
    date = date.truncatedTo(ChronoUnit.MILLIS);
  }
}
