package keyfleet.control.audit;

/// The result of verifying an audit chain.
public sealed interface AuditVerdict {
  /// Each entry is as it was written, none is missing, and together they lead to the present
  /// keystore. Keep `head` outside the store: a chain and a keystore that were both restored from a
  /// backup agree with each other, but not with it.
  record Intact(AuditHead head) implements AuditVerdict {}

  /// `number` is the first wrong or missing entry; the entries after it prove nothing.
  record Broken(long number, String reason) implements AuditVerdict {}

  /// The keystore changed during each try. Another call helps.
  record Unsettled() implements AuditVerdict {}
}
