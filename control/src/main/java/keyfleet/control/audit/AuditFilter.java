package keyfleet.control.audit;

import java.time.Instant;
import java.util.function.Predicate;

/// Selects entries by their date and by text. The date is that of the actor's own clock.
///
/// @param since selects entries of this moment or later
/// @param until selects entries before this moment
/// @param actor a part of `user@host (instance)`; empty for all
/// @param action a part of the action or of the name of a change; empty for all
public record AuditFilter(Instant since, Instant until, String actor, String action)
    implements Predicate<AuditEntry> {
  public static final AuditFilter ALL = new AuditFilter(Instant.MIN, Instant.MAX, "", "");

  @Override
  public boolean test(AuditEntry entry) {
    AuditAction found = entry.action();
    return !found.date().isBefore(since)
        && found.date().isBefore(until)
        && found.actor().text().contains(actor)
        && (found.summary().contains(action)
            || entry.changes().stream().anyMatch(it -> it.name().contains(action)));
  }
}
