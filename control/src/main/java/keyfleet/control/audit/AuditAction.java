package keyfleet.control.audit;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import keyfleet.store.StoreTime;

/// Who did what, and when.
///
/// @param what the order or event, in a word or a few
/// @param rotation the id of the rotation that it is part of, or empty
/// @param at by the store's clock, which is in the order of the changes
/// @param date by the author's own calendar, which may be wrong
public record AuditAction(
    AuditActor actor, String summary, String rotation, StoreTime storeTime, Instant date) {
  public AuditAction {
    date = date.truncatedTo(ChronoUnit.MILLIS);
  }
}
