package keyfleet.control.audit;

import java.util.List;

/// Some entries of an audit chain, newest first.
///
/// @param unreadable numbers of this stretch that are missing or malformed; a verdict says more
/// @param end the lowest number of this stretch: the next page is below it, and none is below 1
public record AuditPage(List<AuditEntry> entries, List<Long> unreadable, long lowestNumber) {
  public AuditPage {
    entries = List.copyOf(entries);
    unreadable = List.copyOf(unreadable);
  }

  public boolean isLast() {
    return lowestNumber <= 1;
  }
}
