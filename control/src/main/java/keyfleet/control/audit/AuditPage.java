package keyfleet.control.audit;

import java.util.List;

/// Some entries of an audit chain, newest first.
///
/// @param unreadable the numbers on this page whose entries are missing or malformed; a verdict
///   gives the reason
/// @param lowestNumber the lowest number on this page; the next page is below it, none is below 1
public record AuditPage(List<AuditEntry> entries, List<Long> unreadable, long lowestNumber) {
  public AuditPage {
    entries = List.copyOf(entries);
    unreadable = List.copyOf(unreadable);
  }

  public boolean isLast() {
    return lowestNumber <= 1;
  }
}
