package keyfleet.control.audit;

/// What looking at an audit chain came to.
public sealed interface AuditVerdict {
  /// Every entry is as it was written, none is missing, and together they lead to the keystore as
  /// it is. `head` is worth noting outside the store: a chain and a keystore that were both put
  /// back in time agree with each other, and no longer with it.
  record Intact(AuditHead head) implements AuditVerdict {}

  /// `number` is the first entry that is not as it should be; what follows it proves nothing.
  record Broken(long number, String reason) implements AuditVerdict {}

  /// The keystore changed whenever it was looked at. Looking again helps.
  record Unsettled() implements AuditVerdict {}
}
