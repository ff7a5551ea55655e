package keyfleet.control.audit;

import java.util.List;

/// The result of verifying the audit of a keyring.
public sealed interface AuditVerdict {
  /// Each entry is as it was written, none is missing, and together they lead to the present
  /// keystore. Keep `head` outside the store: a chain and a keystore that were both restored from a
  /// backup agree with each other, but not with it.
  ///
  /// @param head of the keystore's chain
  /// @param untied heads of the writers' chains that have entries after their last tie: those
  ///   entries could have been removed or rewritten unseen
  record Intact(AuditHead head, List<AuditChainHead> untied) implements AuditVerdict {
    public Intact {
      untied = List.copyOf(untied);
    }
  }

  /// `entry` is the id of the first wrong or missing entry; the entries after it prove nothing.
  record Broken(String entry, String reason) implements AuditVerdict {}

  /// The keystore changed during each try. Another call helps.
  record Unsettled() implements AuditVerdict {}
}
